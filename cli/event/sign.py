"""``twinwall admin sign``: a person's signing key, and signatures of files such as an official IMP scale."""

import secrets
from argparse import ArgumentTypeError, Namespace
from pathlib import Path

from cli.usage import FORCE, PUBLISHED, DoesNotHoldError, UsageError, argument, say, takes, visible, write_file, wrong_use
from twinwall.game.documents import DocumentError
from twinwall.given_files import LARGEST_PACKAGE, limited_bytes
from twinwall.wire.messages.file_signature import beside, sign_file, signature_beside, signer_of, trusted_signers
from twinwall.wire.messages.signing import KEY_SIZE, Signer, read_signer, write_signing_key

_DESCRIPTION = """twinwall admin sign key NEW makes a person's signing key and prints its public half. twinwall admin sign FILE --key KEY
writes FILE.sig. twinwall admin sign check FILE --signer 'NAME DIGITS' says whether one of these people has signed FILE as it is."""
_USE = "say sign key NEW, sign FILE --key KEY, or sign check FILE --signer 'NAME DIGITS'"


def signers(arguments: Namespace) -> dict[str, bytes]:
    """Whom ``--signer`` names."""
    return trusted_signers(arguments.signer)


def _signer(text: str) -> str:
    name, _, key = text.strip().rpartition(" ")
    if not name.strip() or len(key) != 2 * KEY_SIZE or not set(key) <= set("0123456789abcdef"):
        raise ArgumentTypeError(f"{text!r} is not a name, a blank and 64 digits 0 to 9 and a to f")
    return text.strip()


SIGNER = argument(
    "--signer",
    "a person whom you trust: a name and the 64 digits of the public key, in one text; may be given more than once",
    action="append",
    type=_signer,
    default=[],
    metavar="'NAME DIGITS'",
)


@takes(
    argument("words", "a new key's file, or the file to sign or check", nargs="+", metavar="key NEW | FILE | check FILE"),
    argument("--key", "the file of your signing key", type=Path, metavar="KEY"),
    FORCE,
    SIGNER,
    about=_DESCRIPTION,
)
def run(arguments: Namespace) -> None:
    match arguments.words:
        case ["key", new]:
            _make_key(Path(new))
        case ["check", file]:
            _check(Path(file), signers(arguments))
        case [file] if arguments.key is not None:
            _sign(Path(file), arguments.key, force=arguments.force)
        case _:
            raise UsageError(_USE)


def own_signer(name: str, file: Path) -> Signer:
    """The signer whose key lies in a file, which is made where it is not there; raises OSError and DocumentError."""
    if not file.exists():
        write_signing_key(file, secrets.token_bytes(KEY_SIZE))
    return read_signer(name, file)


def _make_key(file: Path) -> None:
    if file.exists():
        raise UsageError(f"{file} exists, and a key is not replaced: name another file")
    print(own_signer("", file).public.hex())
    say(f"{file} is secret; tell the 64 digits to those who are to trust your signature")


def _sign(file: Path, key: Path, *, force: bool) -> None:
    signature = sign_file(limited_bytes(file, LARGEST_PACKAGE), read_signer("", key))
    write_file(beside(file), signature, PUBLISHED, force)
    print(visible(f"{beside(file)}"))


def _check(file: Path, trusted: dict[str, bytes]) -> None:
    content, signature = limited_bytes(file, LARGEST_PACKAGE), signature_beside(file)
    if signature is None:
        raise DoesNotHoldError(f"{file} is not signed: there is no {beside(file)}")
    with wrong_use(file, DocumentError, raising=DoesNotHoldError):
        print(f"{file} is signed by {signer_of(content, signature, trusted)}")
