#ifndef HAPPINESS_CVIPS_SHIM_H
#define HAPPINESS_CVIPS_SHIM_H

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <pango/pangoft2.h>
#include <linux/sched.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vips/vips.h>

// Calls of libvips take their options as variable arguments, which Swift cannot pass. Each function here is one call with
// the options that PictureTool wants, and returns what libvips returns: 0, or -1.

// MARK: Start

// Nothing runs in parallel and nothing is kept for a second picture: this process makes one, within limits on memory.
static inline int cvips_start(void) {
    // By default a thread's stack is as large as the main one may grow, usually 8 MiB, all of which counts as taken.
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0 || pthread_attr_setstacksize(&attributes, 2 << 20) != 0
        || pthread_setattr_default_np(&attributes) != 0)
        return -1;
    pthread_attr_destroy(&attributes);
    if (VIPS_INIT("PictureTool") != 0) return -1;
    vips_concurrency_set(1);
    vips_cache_set_max(0);
    // orc compiles machine code at run time; without it a picture takes some milliseconds more.
    vips_vector_set_enabled(FALSE);
    // Loaders are called by name; should one ever be found by content, then not ImageMagick's, poppler's and their like.
    vips_block_untrusted_set(TRUE);
    return 0;
}

// One pool for all threads, since one for each is much and counts as taken from the start; and large pieces go back to the
// system at once, where glibc would learn from the first that is freed to keep the next ones (mallopt(3)). Without it the
// same panorama took between 53 and 97 MB.
static inline int cvips_keep_little_memory(void) {
    return mallopt(M_ARENA_MAX, 1) == 1 && mallopt(M_MMAP_THRESHOLD, 128 << 10) == 1 ? 0 : -1;
}

// MARK: Loading

static inline int cvips_load_jpeg(VipsSource *source, int shrink, VipsImage **out) {
    return vips_jpegload_source(
        source, out, "access", VIPS_ACCESS_SEQUENTIAL, "fail_on", VIPS_FAIL_ON_ERROR, "shrink", shrink, NULL);
}

static inline int cvips_load_png(VipsSource *source, VipsImage **out) {
    return vips_pngload_source(
        source, out, "access", VIPS_ACCESS_SEQUENTIAL, "fail_on", VIPS_FAIL_ON_ERROR, NULL);
}

static inline int cvips_load_webp(VipsSource *source, double scale, VipsImage **out) {
    return vips_webpload_source(
        source, out, "access", VIPS_ACCESS_SEQUENTIAL, "fail_on", VIPS_FAIL_ON_ERROR, "scale", scale, NULL);
}

// MARK: Shape

static inline int cvips_resize(VipsImage *in, VipsImage **out, double scale) {
    return vips_resize(in, out, scale, NULL);
}

// Exactly `side` pixels in both directions, larger or smaller than it was.
static inline int cvips_resize_to_square(VipsImage *in, VipsImage **out, int side) {
    return vips_thumbnail_image(in, out, side, "height", side, "size", VIPS_SIZE_FORCE, NULL);
}

static inline int cvips_turn_upright(VipsImage *in, VipsImage **out) {
    return vips_autorot(in, out, NULL);
}

static inline int cvips_crop_by_attention(VipsImage *in, VipsImage **out, int side) {
    return vips_smartcrop(in, out, side, side, "interesting", VIPS_INTERESTING_ATTENTION, NULL);
}

// MARK: Colour

// Lays the picture on white, of which `white` is the value in each band.
static inline int cvips_flatten(VipsImage *in, VipsImage **out, double white) {
    VipsArrayDouble *background = vips_array_double_newv(1, white);
    int result = vips_flatten(in, out, "background", background, NULL);
    vips_area_unref(VIPS_AREA(background));
    return result;
}

// By the profile in the file; by `fallback`, a profile that libvips comes with, if there is none or it does not fit.
static inline int cvips_convert_by_profile(VipsImage *in, VipsImage **out, const char *fallback) {
    return vips_icc_transform(
        in, out, "srgb", "embedded", TRUE, "input_profile", fallback, "intent", VIPS_INTENT_PERCEPTUAL, NULL);
}

static inline int cvips_convert(VipsImage *in, VipsImage **out) {
    return vips_colourspace(in, out, VIPS_INTERPRETATION_sRGB, NULL);
}

// Says that three bands are sRGB.
static inline int cvips_declare_srgb(VipsImage *in, VipsImage **out) {
    return vips_copy(in, out, "interpretation", VIPS_INTERPRETATION_sRGB, NULL);
}

// MARK: Drawing

// `color` for where the mask is 0, white for where it is 255; as sRGB.
static inline int cvips_paint_white(VipsImage *mask, VipsImage **out, double red, double green, double blue) {
    const double ground[3] = {red, green, blue};
    double slope[3], offset[3];
    for (int band = 0; band < 3; band++) {
        slope[band] = (255 - ground[band]) / 255;
        offset[band] = ground[band];
    }
    VipsImage *painted = NULL;
    if (vips_linear(mask, &painted, slope, offset, 3, "uchar", TRUE, NULL) != 0) return -1;
    int result = cvips_declare_srgb(painted, out);
    g_object_unref(painted);
    return result;
}

// The letters as a mask as large as their ink. `font` is a Pango description; at 72 dots per inch its points are pixels.
static inline int cvips_text(VipsImage **out, const char *markup, const char *font) {
    return vips_text(out, markup, "font", font, "dpi", 72, NULL);
}

static inline int cvips_place(VipsImage *in, VipsImage **out, int x, int y, int side) {
    return vips_embed(in, out, x, y, side, side, "extend", VIPS_EXTEND_BLACK, NULL);
}

// A black, one-band image to draw on, in memory.
static inline int cvips_black(VipsImage **out, int side) {
    VipsImage *black = NULL;
    if (vips_black(&black, side, side, NULL) != 0) return -1;
    *out = vips_image_copy_memory(black);
    g_object_unref(black);
    return *out == NULL ? -1 : 0;
}

static inline int cvips_draw_disc(VipsImage *image, int x, int y, int radius) {
    return vips_draw_circle1(image, 255, x, y, radius, "fill", TRUE, NULL);
}

// MARK: Saving

static inline int cvips_save_jpeg(VipsImage *in, void **bytes, size_t *count, int quality) {
    return vips_jpegsave_buffer(
        in, bytes, count, "Q", quality, "interlace", TRUE, "optimize_coding", TRUE, "strip", TRUE, NULL);
}

static inline int cvips_save_webp(VipsImage *in, void **bytes, size_t *count, int quality) {
    return vips_webpsave_buffer(in, bytes, count, "Q", quality, "smart_subsample", TRUE, "strip", TRUE, NULL);
}

static inline int cvips_save_png(VipsImage *in, void **bytes, size_t *count) {
    return vips_pngsave_buffer(in, bytes, count, "compression", 9, "strip", TRUE, NULL);
}

// Points of that font map are pixels.
static inline void cvips_set_resolution(PangoFontMap *map) {
    pango_ft2_font_map_set_resolution(PANGO_FT2_FONT_MAP(map), 72, 72);
}

// MARK: Confinement

// No program that is started from here gets rights that this process lacks; the kernel asks for it before the other two.
static inline int cvips_keep_privileges_low(void) {
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

// No new file can be opened, made or removed from here on; files that are open stay usable. Says 0 on kernels without
// Landlock (before 5.13), or where it is switched off: it is a further fence, not the only one.
static inline int cvips_close_file_system(void) {
#ifdef __NR_landlock_create_ruleset
    // struct landlock_ruleset_attr in its first form; the 13 access rights of version 1 (landlock(7)).
    struct { __u64 handled_access_fs; } rules = {(1ULL << 13) - 1};
    int ruleset = (int)syscall(__NR_landlock_create_ruleset, &rules, sizeof rules, 0);
    if (ruleset < 0) return 0;
    int result = (int)syscall(__NR_landlock_restrict_self, ruleset, 0);
    close(ruleset);
    return result;
#else
    return 0;
#endif
}

#define CVIPS_REFUSE BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)
#define CVIPS_DENY(name) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##name, 0, 1), CVIPS_REFUSE
#define CVIPS_LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)offsetof(struct seccomp_data, field))
// Both our platforms are little-endian.
#define CVIPS_LOAD_LOW(index) CVIPS_LOAD(args[index])
#define CVIPS_LOAD_HIGH(index) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)offsetof(struct seccomp_data, args[index]) + 4)

// Takes away, for good and for threads to come, what decoding never needs and whoever takes over a decoder would want:
// network, programs, further processes, other processes, higher limits. Refused calls fail with EPERM. Says 0 on
// processors it has no table for.
static inline int cvips_close_system_calls(void) {
#if defined(__x86_64__) || defined(__aarch64__)
    struct sock_filter filter[] = {
        CVIPS_LOAD(arch),
#ifdef __x86_64__
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0),
#else
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_AARCH64, 1, 0),
#endif
        CVIPS_REFUSE,
        CVIPS_LOAD(nr),
#ifdef __x86_64__
        // The x32 calls: the same with this bit set.
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1),
        CVIPS_REFUSE,
        CVIPS_DENY(fork),
        CVIPS_DENY(vfork),
#endif
        CVIPS_DENY(socket), CVIPS_DENY(socketpair), CVIPS_DENY(connect), CVIPS_DENY(bind), CVIPS_DENY(listen),
        CVIPS_DENY(accept), CVIPS_DENY(accept4), CVIPS_DENY(sendto), CVIPS_DENY(sendmsg), CVIPS_DENY(sendmmsg),
        CVIPS_DENY(execve), CVIPS_DENY(execveat),
        CVIPS_DENY(ptrace), CVIPS_DENY(process_vm_readv), CVIPS_DENY(process_vm_writev),
        CVIPS_DENY(kill), CVIPS_DENY(tkill), CVIPS_DENY(rt_sigqueueinfo), CVIPS_DENY(rt_tgsigqueueinfo),
        CVIPS_DENY(setrlimit), CVIPS_DENY(setpriority),
        CVIPS_DENY(mount), CVIPS_DENY(umount2), CVIPS_DENY(pivot_root), CVIPS_DENY(chroot),
        CVIPS_DENY(unshare), CVIPS_DENY(setns), CVIPS_DENY(open_by_handle_at),
        CVIPS_DENY(bpf), CVIPS_DENY(perf_event_open), CVIPS_DENY(userfaultfd), CVIPS_DENY(memfd_create),
        CVIPS_DENY(shmget), CVIPS_DENY(add_key), CVIPS_DENY(request_key), CVIPS_DENY(keyctl),
        CVIPS_DENY(io_setup),
#ifdef __NR_io_uring_setup
        CVIPS_DENY(io_uring_setup), CVIPS_DENY(pidfd_send_signal), CVIPS_DENY(pidfd_open),
#endif
#ifdef __NR_pidfd_getfd
        CVIPS_DENY(pidfd_getfd),
#endif
#ifdef __NR_clone3
        // Its flags lie in memory, out of the filter's sight; told that there is none, glibc takes clone.
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone3, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
#endif
        // Threads may be made, processes not.
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone, 0, 4),
        CVIPS_LOAD_LOW(0),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 1, 0),
        CVIPS_REFUSE,
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        // A signal to ourselves is how abort(3) ends the process.
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_tgkill, 0, 4),
        CVIPS_LOAD_LOW(0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)getpid(), 1, 0),
        CVIPS_REFUSE,
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        // Limits may be read (new_limit is NULL), as glibc does for stacks.
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_prlimit64, 0, 5),
        CVIPS_LOAD_LOW(2),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 2),
        CVIPS_LOAD_HIGH(2),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0),
        CVIPS_REFUSE,
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = sizeof filter / sizeof filter[0], .filter = filter};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
#else
    return 0;
#endif
}

#endif
