"""Generates the test pictures for every run.

make_pictures.py make FOLDER GROUP   writes the pictures of a group
make_pictures.py inspect FILE...     prints as JSON what is in pictures: format, size, metadata, colours of nine places
"""

import io
import json
import random
import struct
import sys
import zipfile
import zlib
from pathlib import Path

from PIL import Image, ImageCms, PngImagePlugin

SECRET = "SECRET-PLACE-48.2082N"
RED, GREEN, BLUE, YELLOW = (200, 30, 30), (30, 160, 30), (30, 30, 200), (220, 200, 30)


def quarters(width, height, colors=(RED, GREEN, BLUE, YELLOW)):
    picture = Image.new("RGB", (width, height))
    for index, color in enumerate(colors):
        box = (index % 2 * width // 2, index // 2 * height // 2)
        picture.paste(color, (*box, box[0] + (width + 1) // 2, box[1] + (height + 1) // 2))
    return picture


def noise(width, height):
    bands = [Image.effect_noise((width, height), 60) for _ in range(3)]
    return Image.merge("RGB", bands)


def encoded(picture, kind, **options):
    file = io.BytesIO()
    picture.save(file, kind, **options)
    return file.getvalue()


def chunk(name, body):
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def png(width, height, depth, color, rows, interlace=0, before=b""):
    header = struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, interlace)
    return (PngImagePlugin._MAGIC + chunk(b"IHDR", header) + before + chunk(b"IDAT", zlib.compress(rows, 9))
            + chunk(b"IEND", b""))


def adam7(picture):
    width, height = picture.size
    pixels = picture.convert("RGB").load()
    rows = bytearray()
    for x0, y0, dx, dy in (
        (0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)
    ):
        for y in range(y0, height, dy):
            rows.append(0)
            for x in range(x0, width, dx):
                rows += bytes(pixels[x, y])
    return png(width, height, 8, 2, bytes(rows), interlace=1)


def exif(orientation=1):
    data = Image.Exif()
    data[0x0112] = orientation
    data[0x010E] = SECRET
    data[0x010F] = "Phone " + SECRET
    gps = data.get_ifd(0x8825)
    gps[1], gps[2], gps[3], gps[4] = "N", (48.0, 12.0, 29.5), "E", (16.0, 22.0, 25.7)
    return data


def tagged():
    """One picture of each format, with all possible metadata."""
    picture = quarters(640, 640)
    xmp = f'<x:xmpmeta xmlns:x="adobe:ns:meta/"><place>{SECRET}</place></x:xmpmeta>'.encode()
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    plain = encoded(
        picture, "JPEG", exif=exif(), xmp=xmp, icc_profile=profile, comment=SECRET.encode(), quality=90, dpi=(300, 300))
    iptc_record = b"\x1c\x02\x5a" + struct.pack(">H", len(SECRET)) + SECRET.encode()
    iptc = b"Photoshop 3.0\x008BIM\x04\x04\0\0" + struct.pack(">I", len(iptc_record)) + iptc_record
    yield "tagged.jpg", plain[:2] + b"\xff\xed" + struct.pack(">H", len(iptc) + 2) + iptc + plain[2:]
    text = PngImagePlugin.PngInfo()
    text.add_text("Comment", SECRET)
    text.add_text("Place", SECRET, zip=True)
    text.add_itxt("XML:com.adobe.xmp", xmp.decode())
    yield "tagged.png", encoded(picture, "PNG", exif=exif(), icc_profile=profile, pnginfo=text)
    yield "tagged.webp", encoded(picture, "WEBP", exif=exif(), icc_profile=profile, xmp=xmp, quality=90)


def upright():
    turns = [None, Image.Transpose.FLIP_LEFT_RIGHT, Image.Transpose.ROTATE_180, Image.Transpose.FLIP_TOP_BOTTOM,
             Image.Transpose.TRANSPOSE, Image.Transpose.ROTATE_90, Image.Transpose.TRANSVERSE,
             Image.Transpose.ROTATE_270]
    for orientation, turn in enumerate(turns, 1):
        picture = quarters(700, 700)
        stored = picture if turn is None else picture.transpose(turn)
        for kind, name in (("JPEG", "jpg"), ("PNG", "png"), ("WEBP", "webp")):
            yield f"upright-{orientation}.{name}", encoded(stored, kind, exif=exif(orientation))


def kinds():
    """Every variety of the three formats that a camera or a program may produce."""
    square = quarters(600, 600)
    yield "plain.jpg", encoded(square, "JPEG", quality=92)
    yield "plain.png", encoded(square, "PNG")
    yield "plain.webp", encoded(square, "WEBP", quality=90)
    yield "lossless.webp", encoded(square, "WEBP", lossless=True)
    yield "progressive.jpg", encoded(square, "JPEG", quality=92, progressive=True)
    yield "cmyk.jpg", encoded(square.convert("CMYK"), "JPEG", quality=92)
    yield "broken-profile.jpg", encoded(square, "JPEG", quality=92, icc_profile=b"no profile at all" * 20)
    yield "interlaced.png", adam7(square)
    rows = bytearray()
    for y in range(600):
        rows.append(0)
        for x in range(600):
            for value in square.getpixel((x, y)):
                rows += bytes((value, value))
    yield "deep.png", png(600, 600, 16, 2, bytes(rows))
    yield "palette.png", encoded(square.quantize(16), "PNG")
    yield "png-called.jpg", encoded(square, "PNG")
    yield "small.png", encoded(quarters(90, 90), "PNG")


def grey_and_clear():
    grey = Image.new("L", (600, 600), 120)
    yield "grey.jpg", encoded(grey, "JPEG")
    yield "grey.png", encoded(grey, "PNG")
    yield "grey-deep.png", encoded(Image.new("I;16", (600, 600), 120 * 257), "PNG")
    clear = Image.new("RGBA", (600, 600), (0, 0, 0, 0))
    yield "clear.png", encoded(clear, "PNG")
    yield "clear.webp", encoded(clear, "WEBP", lossless=True)
    yield "clear-palette.png", encoded(clear.convert("P"), "PNG", transparency=0)


def shapes():
    yield "wide.jpg", encoded(noise(4000, 300), "JPEG", quality=80)
    yield "tall.jpg", encoded(noise(300, 4000), "JPEG", quality=80)
    yield "panorama.jpg", encoded(quarters(20000, 700), "JPEG", quality=60)
    yield "least.png", encoded(quarters(16, 16), "PNG")
    yield "phone.jpg", encoded(quarters(6000, 4000), "JPEG", quality=70)
    yield "progressive-large.jpg", encoded(quarters(6000, 4000), "JPEG", quality=70, progressive=True)


def polyglots():
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("Evil.class", SECRET * 100)
    page = f"<html><script>alert('{SECRET}')</script></html>".encode()
    square = quarters(600, 600)
    yield "zip.jpg", encoded(square, "JPEG") + archive.getvalue()
    yield "zip.png", encoded(square, "PNG") + archive.getvalue()
    yield "page.jpg", encoded(square, "JPEG", comment=page) + page
    yield "page.webp", encoded(square, "WEBP") + page


def refused():
    """Files that must be refused, named after the verdict."""
    moving = [quarters(64, 64), quarters(64, 64, (BLUE, RED, GREEN, YELLOW))]
    options = {"save_all": True, "append_images": moving[1:], "duration": 100}
    yield "animated.webp", encoded(moving[0], "WEBP", **options)
    yield "animated.png", encoded(moving[0], "PNG", **options)
    yield "gif.gif", encoded(moving[0], "GIF")
    yield "gif.jpg", encoded(moving[0], "GIF", **options) + b"PK\x03\x04" + SECRET.encode()
    yield "svg.svg", b'<?xml version="1.0"?>\n<!-- x -->\n<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>'
    yield "heic.jpg", struct.pack(">I", 24) + b"ftypheic\0\0\0\0mif1heic" + bytes(500)
    yield "avif.jpg", struct.pack(">I", 24) + b"ftypavif\0\0\0\0avifmif1" + bytes(500)
    yield "tiff.tif", encoded(moving[0], "TIFF")
    yield "pdf.pdf", encoded(moving[0], "PDF")
    yield "otherKind.bmp", encoded(moving[0], "BMP")
    yield "empty.jpg", b""
    yield "notAPicture.jpg", b"<html><body>hello</body></html>"
    yield "notAPicture.bin", random.Random(1).randbytes(5000)
    yield "tooSmall.png", encoded(quarters(15, 400), "PNG")
    yield "tooLong.png", png(50000, 50000, 8, 6, bytes(1000))
    yield "damaged-huge.webp", huge_webp()
    yield "tooManyPixels.png", png(5001, 5001, 8, 6, bytes(1000))
    yield "tooManyPixels.jpg", jpeg_of_size(20000, 6000)
    yield "tooLong.jpg", jpeg_of_size(65000, 65000)
    yield "damaged.jpg", jpeg_of_size(0, 500)
    yield "damaged-few.png", png(2000, 2000, 8, 6, bytes(1000))
    yield "damaged-only-start.png", PngImagePlugin._MAGIC
    for kind, name in (("JPEG", "jpg"), ("PNG", "png"), ("WEBP", "webp")):
        whole = encoded(noise(700, 700), kind)
        for percent in (1, 50, 90, 99):
            yield f"damaged-{percent}.{name}", whole[:len(whole) * percent // 100]


def bombs():
    """A quarter of a gigabyte of text, of a profile, and of data beyond the last pixel, in small pictures."""
    text = zlib.compress(bytes(1 << 28), 9)
    whole = bytes((1 + 600 * 3) * 600)
    yield "text-bomb.png", png(600, 600, 8, 2, whole, before=chunk(b"zTXt", b"Comment\0\0" + text))
    yield "profile-bomb.png", png(600, 600, 8, 2, whole, before=chunk(b"iCCP", b"icc\0\0" + text))
    yield "data-bomb.png", png(600, 600, 8, 2, bytes(1 << 28))
    yield "full-size.png", png(5000, 5000, 8, 6, bytes((1 + 5000 * 4) * 5000))


def huge_webp():
    plain = encoded(quarters(64, 64), "WEBP")[12:]
    size = (16777215).to_bytes(3, "little")
    body = b"WEBPVP8X" + struct.pack("<I", 10) + bytes(4) + size + size + plain
    return b"RIFF" + struct.pack("<I", len(body)) + body


def jpeg_of_size(width, height):
    plain = bytearray(encoded(quarters(64, 64), "JPEG"))
    place = plain.index(b"\xff\xc0")
    plain[place + 5:place + 9] = struct.pack(">HH", height, width)
    return bytes(plain)


def mutations():
    """Bytes changed, removed or duplicated, mostly near the start, where the structure is."""
    chance = random.Random(20)
    sources = [
        ("jpg", encoded(quarters(200, 150), "JPEG", exif=exif())),
        ("progressive.jpg", encoded(quarters(200, 150), "JPEG", progressive=True, icc_profile=ImageCms.ImageCmsProfile(
            ImageCms.createProfile("sRGB")).tobytes())),
        ("png", encoded(quarters(200, 150), "PNG", exif=exif())),
        ("webp", encoded(quarters(200, 150).convert("RGBA"), "WEBP", exif=exif())),
        ("lossless.webp", encoded(quarters(200, 150), "WEBP", lossless=True)),
    ]
    for number in range(200):
        name, whole = sources[number % len(sources)]
        changed = bytearray(whole)
        for _ in range(chance.randint(1, 12)):
            place = int(len(changed) * chance.random() ** 2)
            match chance.randrange(3):
                case 0: changed[place:place + 1] = bytes([chance.choice((0, 1, 127, 128, 255, chance.randrange(256)))])
                case 1: del changed[place:place + chance.randint(1, 20)]
                case 2: changed[place:place] = changed[place:place + chance.randint(1, 20)]
        yield f"{number}.{name}", bytes(changed)


GROUPS = {
    "tagged": tagged, "upright": upright, "kinds": kinds, "bare": grey_and_clear, "shapes": shapes,
    "polyglots": polyglots, "refused": refused, "bombs": bombs, "mutations": mutations,
}


def inspect(path):
    with Image.open(path) as picture:
        picture.load()
        size = picture.width
        pixels = picture.convert("RGB")
        places = [pixels.getpixel((size * x // 6, size * y // 6)) for y in (1, 3, 5) for x in (1, 3, 5)]
        return {
            "format": picture.format, "width": picture.width, "height": picture.height, "mode": picture.mode,
            "info": sorted(picture.info), "exif": len(picture.getexif()), "colors": places,
        }


if sys.argv[1] == "make":
    for file, content in GROUPS[sys.argv[3]]():
        (Path(sys.argv[2]) / file).write_bytes(content)
else:
    print(json.dumps([inspect(path) for path in sys.argv[2:]]))
