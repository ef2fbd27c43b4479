"""Images, decoded by Octet and by Pillow, which has decoders of its own: the same bytes, whatever the kind of JPEG and PNG; what is
broken, cut short or not supported is an error that says so. Resizing, against the formula in exact numbers.

Usage: images_test.py DECODE_IMAGES
"""

import fractions
import io
import pathlib
import struct
import subprocess
import sys
import tempfile
import warnings
import zlib

import numpy as np
from PIL import Image

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))
from pictures import picture  # noqa: E402

SIZES = [(1, 1), (7, 13), (8, 8), (16, 16), (17, 33), (32, 31)]


def photo(width, height, seed=1):
    """Bytes [height, width, 3] with edges and textures."""
    tiles = picture(np.random.default_rng(seed)).transpose(1, 2, 0)
    return np.ascontiguousarray(np.tile(tiles, (height // 32 + 1, width // 32 + 1, 1))[:height, :width])


def encoded(image, form, **options):
    file = io.BytesIO()
    image.save(file, form, **options)
    return file.getvalue()


def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def png(width, height, depth, kind, rows, chunks=(), interlaced=False, more_data=b"", more_compressed=b"", last_chunks=()):
    """A PNG file of rows that are packed already; kinds are the format's own: 0 gray, 2 RGB, 3 palette, 4 gray and alpha, 6 RGBA."""
    header = struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, int(interlaced))
    data = zlib.compress(b"".join(b"\0" + row for row in rows) + more_data) + more_compressed
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + b"".join(chunk(*more) for more in chunks) +
            chunk(b"IDAT", data) + b"".join(chunk(*more) for more in last_chunks) + chunk(b"IEND", b""))


def packed(values, depth):
    bits = np.unpackbits(values.astype(np.uint8)[..., None], axis=-1)[..., 8 - depth:]
    return [np.packbits(row.reshape(-1)).tobytes() for row in bits]


def interlaced(image):
    """Adam7: the rows of its seven passes."""
    for x, y, dx, dy in ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)):
        part = image[y::dy, x::dx]
        if part.size:
            yield from (row.tobytes() for row in part)


def good_files():
    """Name, bytes of a file, and whether it is gray."""
    for width, height in SIZES:
        pixels = photo(width, height)
        image, gray = Image.fromarray(pixels), Image.fromarray(pixels[..., 1])
        size = f"{width}x{height}"
        for sampling in ("4:4:4", "4:2:2", "4:2:0"):
            for quality in (30, 90):
                for progressive in (False, True):
                    yield (f"{size}_{sampling.replace(':', '')}_{quality}_{progressive}.jpg",
                           encoded(image, "JPEG", subsampling=sampling, quality=quality, progressive=progressive), False)
        yield f"{size}_gray.jpg", encoded(gray, "JPEG"), True
        yield f"{size}_optimized.jpg", encoded(image, "JPEG", optimize=True, restart_marker_blocks=1), False
        turned = Image.Exif()
        turned[0x0112] = 6
        yield f"{size}_turned.jpg", encoded(image, "JPEG", exif=turned), False
        yield f"{size}_rgb.png", encoded(image, "PNG"), False
        yield f"{size}_gray.png", encoded(gray, "PNG"), True
        yield f"{size}_palette.png", encoded(image.quantize(37), "PNG"), False
        yield f"{size}_palette_clear.png", encoded(image.quantize(5), "PNG", transparency=1), False
        yield f"{size}_rgba.png", encoded(Image.fromarray(np.dstack([pixels, pixels[..., 0]])), "PNG"), False
        yield f"{size}_gray_alpha.png", encoded(gray.convert("LA"), "PNG"), True
        yield f"{size}_bits.png", encoded(gray.convert("1"), "PNG"), True
        for depth in (2, 4):
            yield f"{size}_gray{depth}.png", png(width, height, depth, 0, packed(pixels[..., 0] >> 8 - depth, depth)), True
        yield f"{size}_interlaced.png", png(width, height, 8, 2, interlaced(pixels), interlaced=True), False
        yield f"{size}_gamma.png", png(width, height, 8, 2, [row.tobytes() for row in pixels],
                                       [(b"gAMA", struct.pack(">I", 100000))]), False
        indices = pixels[..., 0] >> 5
        yield f"{size}_palette_interlaced.png", png(width, height, 8, 3, interlaced(indices), [(b"PLTE", bytes(range(24)))], interlaced=True), False
        yield f"{size}_palette4.png", png(width, height, 4, 3, packed(indices, 4), [(b"PLTE", bytes(range(24)))]), False
        # What says nothing about pixels may be wrong.
        yield f"{size}_notes.png", png(width, height, 8, 2, [row.tobytes() for row in pixels],
                                       [(b"gAMA", bytes(4)), (b"iCCP", b"profile\0\0nonsense"), (b"tIME", bytes(7)), (b"sBIT", b"\x09"),
                                        (b"tEXt", b""), (b"abCd", b"unknown")], last_chunks=[(b"IDAT", b""), (b"tEXt", b"key\0text"), (b"gAMA", bytes(4))]), False


def bad_files():
    """Name, bytes, and what the error says."""
    pixels = photo(17, 13)
    image = Image.fromarray(pixels)
    rows = [row.tobytes() for row in pixels]
    jpeg, whole = encoded(image, "JPEG"), png(17, 13, 8, 2, rows)
    several = encoded(image, "JPEG", progressive=True)
    for kind, data in (("jpg", jpeg), ("progressive.jpg", several), ("png", whole)):
        for length in range(len(data)):
            yield f"cut{length}.{kind}", data[:length], ""
    yield "empty.jpg", b"", "it is empty; wanted a JPEG or PNG file"
    yield "gif.png", encoded(image, "GIF"), "it begins like neither JPEG nor PNG; wanted a JPEG or PNG file"
    yield "text.jpg", b"not an image", "it begins like neither JPEG nor PNG; wanted a JPEG or PNG file"
    yield "cmyk.jpg", encoded(image.convert("CMYK"), "JPEG"), "its colours are CMYK, for print; wanted RGB or gray"
    sixteen = "16 bits per channel; wanted 8, and which 8 of them is not said"
    yield "gray16.png", encoded(Image.fromarray(pixels[..., 0].astype(np.uint16) * 257), "PNG"), sixteen
    yield "rgb16.png", png(17, 13, 16, 2, [row.astype(">u2").tobytes() for row in pixels]), sixteen
    yield "zero.png", png(0, 0, 8, 2, []), "broken PNG: Image width is zero in IHDR"
    yield "wide0.png", png(17, 0, 8, 2, []), "broken PNG: Image height is zero in IHDR"
    frame = jpeg.index(b"\xff\xc0")

    def jpeg_of_size(data, marker, width, height):
        start = data.index(marker)
        return data[:start + 5] + struct.pack(">HH", height, width) + data[start + 9:]

    assert jpeg[frame + 5:frame + 9] == struct.pack(">HH", 13, 17)
    yield "zero.jpg", jpeg_of_size(jpeg, b"\xff\xc0", 17, 0), "broken JPEG: Empty JPEG image (DNL not supported)"
    most = "; the most is 268435456"
    yield "enormous.jpg", jpeg_of_size(jpeg, b"\xff\xc0", 65500, 65500), "65500 x 65500 pixels" + most
    yield "enormous.png", png(2**31 - 1, 2**31 - 1, 8, 2, rows), "2147483647 x 2147483647 pixels" + most
    yield "long.jpg", jpeg_of_size(jpeg, b"\xff\xc0", 16000, 16000), "broken JPEG: Corrupt JPEG data: premature end of data segment"
    yield "long.png", png(16000, 16000, 8, 2, rows), "broken PNG: "
    yield "crc.png", whole[:-14] + bytes([whole[-14] ^ 1]) + whole[-13:], "broken PNG: IDAT: CRC error"
    # Damage that libpng only warns of.
    note = chunk(b"tEXt", b"key\0text")
    at_note = whole.index(b"IDAT") - 4
    yield "note_crc.png", whole[:at_note] + note[:-1] + bytes([note[-1] ^ 1]) + whole[at_note:], "broken PNG: tEXt: CRC error"
    palette = [(b"PLTE", bytes(range(9)))]
    yield "index.png", png(4, 1, 8, 3, [bytes([0, 1, 2, 3])], palette), "broken PNG: a pixel has color 3 of a palette of 3, counted from 0"
    yield "index_bits.png", png(4, 1, 2, 3, [bytes([0b00011011])], palette), "broken PNG: a pixel has color 3 of a palette of 3, counted from 0"
    yield "transparent.png", png(4, 1, 8, 3, [bytes([0, 1, 2, 0])], [*palette, (b"tRNS", bytes(4))]), "broken PNG: "
    yield "more_rows.png", png(17, 13, 8, 2, rows, more_data=bytes(10_000_000)), "broken PNG: IDAT: Too much image data"
    yield "more_data.png", png(17, 13, 8, 2, rows, more_compressed=b"more"), "broken PNG: IDAT: Extra compressed data"
    yield "more_chunks.png", png(17, 13, 8, 2, rows, last_chunks=[(b"IDAT", bytes(1000))] * 1000), "broken PNG: IDAT: Too much image data"
    yield "late_chunk.png", png(17, 13, 8, 2, rows, last_chunks=[(b"tEXt", b"key\0text"), (b"IDAT", b"more")]), "broken PNG: IDAT: Too much image data"
    # An image of one colour: its second scan, of coefficients that are all 0, may come again and again.
    flat = encoded(Image.new("L", (8, 8), 128), "JPEG", progressive=True)
    scans = [at for at in range(len(flat)) if flat[at:at + 2] == b"\xff\xda"]
    end = flat.index(b"\xff", scans[1] + 2)
    again = flat[scans[1]:scans[1] + 9] + b"\0" + flat[scans[1] + 10:end]
    yield "scans.jpg", flat[:scans[1]] + again * 101 + b"\xff\xd9", "broken JPEG: it has more than 100 scans"


def decode(program, files, folder, *size):
    """What Octet makes of files by name: arrays, or the text of errors."""
    before, after = folder / "before", folder / "after"
    for path in (before, after):
        path.mkdir()
    for name, data in files.items():
        (before / name).write_bytes(data)
    subprocess.run([program, before, after, *map(str, size)], check=True)
    results = {}
    for name in files:
        array, error = after / f"{name}.npy", after / f"{name}.txt"
        assert array.exists() != error.exists(), name
        results[name] = np.load(array) if array.exists() else error.read_text()
    return results


def check_good(program, folder):
    files = {name: (data, gray) for name, data, gray in good_files()}
    results = decode(program, {name: data for name, (data, _) in files.items()}, folder)
    for name, (data, gray) in files.items():
        want = np.asarray(Image.open(io.BytesIO(data)).convert("L" if gray else "RGB"))
        want = want[..., None] if gray else want
        assert isinstance(results[name], np.ndarray), f"{name}: {results[name]}"
        assert results[name].shape == want.shape, f"{name}: {results[name].shape}, Pillow has {want.shape}"
        differing = np.argwhere(results[name] != want)
        assert not len(differing), f"{name}: {len(differing)} bytes differ from Pillow's, the first at {differing[0]}"
    return len(files)


def check_bad(program, folder):
    files = {name: (data, wanted) for name, data, wanted in bad_files()}
    results = decode(program, {name: data for name, (data, _) in files.items()}, folder)
    for name, (_, wanted) in files.items():
        assert isinstance(results[name], str), f"{name} was decoded: {results[name].shape}"
        assert results[name].startswith(wanted), f"{name}: {results[name]!r}; wanted {wanted!r}"
    return len(files)


def check_damaged(program, folder):
    """A byte changed: an image of that size or an error, and never a crash. PNG has checksums: nothing gets through in pixels."""
    image = Image.fromarray(photo(17, 13))
    files = {}
    for kind, data in (("jpg", encoded(image, "JPEG")), ("png", encoded(image, "PNG"))):
        for at in range(2, len(data)):
            for flip in (1, 0x80, 0xff):
                files[f"{at}_{flip}.{kind}"] = data[:at] + bytes([data[at] ^ flip]) + data[at + 1:]
    results = decode(program, files, folder)
    want = np.asarray(image)
    for name, found in results.items():
        if name.endswith(".png") and not isinstance(found, str):
            assert np.array_equal(found, want), name
    accepted = [name for name, found in results.items() if name.endswith(".png") and not isinstance(found, str)]
    assert not accepted, f"PNG without checks: {accepted}"
    return len(files)


def exactly_resized(image, width, height):
    """The formula of octet/data/resize.h, with fractions."""
    def weights(before, after):
        table = np.zeros((after, before), object)
        for i in range(after):
            for x in range(before):
                table[i, x] = max(0, min((i + 1) * before, (x + 1) * after) - max(i * before, x * after))
        return table

    columns, rows = weights(image.shape[1], width), weights(image.shape[0], height)
    sums = np.einsum("Yy,Xx,yxc->YXc", rows, columns, image.astype(object))
    half = fractions.Fraction(1, 2)
    area = image.shape[0] * image.shape[1]
    return np.vectorize(lambda s: int(fractions.Fraction(s, area) + half))(sums).astype(np.uint8)


def check_resized(program, folder):
    pixels = {f"{width}x{height}.png": photo(width, height, seed) for seed, (width, height) in enumerate(SIZES)}
    files = {name: encoded(Image.fromarray(image), "PNG") for name, image in pixels.items()}
    count = 0
    for size in ((1, 1), (5, 3), (16, 16), (19, 40)):
        work = folder / f"{size[0]}x{size[1]}"
        work.mkdir()
        for name, found in decode(program, files, work, *size).items():
            want = exactly_resized(pixels[name], *size)
            assert found.shape == want.shape and np.array_equal(found, want), f"{name} to {size}: {found} for {want}"
            count += 1
    return count


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    warnings.simplefilter("ignore")  # Pillow's, of transparency that is dropped
    with tempfile.TemporaryDirectory() as folder:
        for check in (check_good, check_bad, check_damaged, check_resized):
            work = pathlib.Path(folder) / check.__name__
            work.mkdir()
            print(f"{check.__name__.removeprefix('check_')}: {check(program, work)} files")


if __name__ == "__main__":
    main()
