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

// libvips functions take their options as variable arguments, which Swift cannot pass. Each function here makes one
// such call with the options PictureTool needs, and returns its result: 0, or -1 for a failure.

// MARK: Start

// Nothing runs in parallel and nothing is cached: this process converts one picture, within a memory limit.
static inline int cvips_start(void) {
    // By default a thread's stack has the main stack's maximum size, usually 8 MiB, all of which counts towards the
    // limit.
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0 || pthread_attr_setstacksize(&attributes, 2 << 20) != 0
        || pthread_setattr_default_np(&attributes) != 0)
        return -1;
    pthread_attr_destroy(&attributes);
    if (VIPS_INIT("PictureTool") != 0) return -1;
    vips_concurrency_set(1);
    vips_cache_set_max(0);
    // Orc compiles machine code at run time; without it a picture takes a few milliseconds longer. This does not reach
    // all of libvips: `vips_smartcrop` still has some compiled.
    vips_vector_set_enabled(FALSE);
    // We call loaders by name. If libvips ever picks one by content, it must not be ImageMagick, poppler or similar.
    vips_block_untrusted_set(TRUE);
    return 0;
}

// Uses one arena for all threads, because an arena per thread counts towards the limit from the start. Large blocks are
// returned to the system immediately: by default, glibc raises its threshold after the first freed block and keeps
// later ones (mallopt(3)). Without these settings the same panorama took between 53 and 97 MB.
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

// Scales to exactly `side` pixels in both directions, up or down.
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

// Puts the picture on a white background; `white` is the value of white in each band.
static inline int cvips_flatten(VipsImage *in, VipsImage **out, double white) {
    VipsArrayDouble *background = vips_array_double_newv(1, white);
    int result = vips_flatten(in, out, "background", background, NULL);
    vips_area_unref(VIPS_AREA(background));
    return result;
}

// Uses the profile in the file or, if it is missing or does not fit, `fallback`, a profile built into libvips.
static inline int cvips_convert_by_profile(VipsImage *in, VipsImage **out, const char *fallback) {
    return vips_icc_transform(
        in, out, "srgb", "embedded", TRUE, "input_profile", fallback, "intent", VIPS_INTENT_PERCEPTUAL, NULL);
}

static inline int cvips_convert(VipsImage *in, VipsImage **out) {
    return vips_colourspace(in, out, VIPS_INTERPRETATION_sRGB, NULL);
}

// Marks an image with three bands as sRGB.
static inline int cvips_declare_srgb(VipsImage *in, VipsImage **out) {
    return vips_copy(in, out, "interpretation", VIPS_INTERPRETATION_sRGB, NULL);
}

// MARK: Drawing

// Paints the given colour where the mask is 0 and white where it is 255, in sRGB.
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

// Renders text as a mask of the size of its ink. `font` is a Pango description; at 72 dots per inch its points are
// pixels.
static inline int cvips_text(VipsImage **out, const char *markup, const char *font) {
    return vips_text(out, markup, "font", font, "dpi", 72, NULL);
}

static inline int cvips_place(VipsImage *in, VipsImage **out, int x, int y, int side) {
    return vips_embed(in, out, x, y, side, side, "extend", VIPS_EXTEND_BLACK, NULL);
}

// Creates a black one-band image in memory, to draw on.
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

// Makes points equal to pixels in this font map.
static inline void cvips_set_resolution(PangoFontMap *map) {
    pango_ft2_font_map_set_resolution(PANGO_FT2_FONT_MAP(map), 72, 72);
}

// MARK: Confinement

// Programs started from here cannot gain rights that this process lacks. The kernel requires this before the other two.
static inline int cvips_keep_privileges_low(void) {
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

// From now on no file can be opened, created or removed; open files stay usable. Also returns 0 on kernels without
// Landlock (before 5.13) or with Landlock turned off: it is an additional barrier, not the only one.
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

// Permanently blocks, also for future threads, the system calls that decoding never needs but an attacker who takes
// over a decoder would: network, programs, new processes, other processes, higher limits. Blocked calls fail with
// EPERM. Also returns 0 on processors without a table here.
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
        // x32 system calls have the same numbers with this bit set.
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
        // Its flags are in memory, where the filter cannot read them. On ENOSYS, glibc falls back to clone.
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone3, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
#endif
        // Allows new threads, but not new processes.
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone, 0, 4),
        CVIPS_LOAD_LOW(0),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 1, 0),
        CVIPS_REFUSE,
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        // abort(3) ends the process with a signal to itself.
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_tgkill, 0, 4),
        CVIPS_LOAD_LOW(0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)getpid(), 1, 0),
        CVIPS_REFUSE,
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        // Allows reading limits (new_limit is NULL), which glibc does for stacks.
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
