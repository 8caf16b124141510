"""The size of a picture that its header names is that of what is decoded, whatever is changed in it."""

import cv2
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from vision.cameras.pictures import decode_picture, picture_size
from vision.cameras.port import CameraLostError

FORMS = {".png": [], ".jpg": [], ".bmp": [], ".webp": [cv2.IMWRITE_WEBP_QUALITY, 80], "lossless.webp": [cv2.IMWRITE_WEBP_QUALITY, 101]}


def encoded(form: str, width: int, height: int) -> bytes:
    image = np.random.default_rng(width + height).integers(0, 256, (height, width, 3), dtype=np.uint8)
    done, file = cv2.imencode(form[form.index(".") :], image, FORMS[form])
    assert done
    return file.tobytes()


@given(st.sampled_from(list(FORMS)), st.integers(2, 60), st.integers(2, 60))
def test_the_size_of_a_picture_is_that_of_what_is_decoded(form: str, width: int, height: int) -> None:
    assert picture_size(encoded(form, width, height)) == (width, height)


@given(st.sampled_from(list(FORMS)), st.lists(st.tuples(st.integers(0, 200), st.integers(0, 255)), min_size=1, max_size=4))
def test_no_changed_byte_makes_a_decoder_see_another_size_than_was_allowed(form: str, changes: list[tuple[int, int]]) -> None:
    content = bytearray(encoded(form, 24, 16))
    for at, value in changes:
        content[at % len(content)] = value
    try:
        image = decode_picture(bytes(content), "it")
    except CameraLostError:
        return
    size = picture_size(bytes(content))
    assert size is not None
    assert sorted(image.shape[:2]) == sorted(size), "an orientation in EXIF data may turn it"
