"""The Merkle tree of RFC 6962 (section 2.1) over the commitments: root, path of a leaf, root from a path. Leaves and nodes have different
hash prefixes, so a node cannot pass for a leaf. Leaves count from 0 here, deals from 1 elsewhere."""

from collections.abc import Sequence

from twinwall.game.deals.encoding import Sha256, sha256


def _leaf_digest(leaf: bytes) -> Sha256:
    return sha256(b"\x00" + leaf)


def _node_digest(left: bytes, right: bytes) -> Sha256:
    return sha256(b"\x01" + left + right)


def _left_size(size: int) -> int:
    """The leaves left of the root: the largest power of two below ``size``."""
    power: int = 1 << ((size - 1).bit_length() - 1)
    return power


def tree_root(leaves: Sequence[bytes]) -> Sha256:
    """The root of at least one leaf."""
    if not leaves:
        raise ValueError("a commitment tree needs at least one leaf")
    if len(leaves) == 1:
        return _leaf_digest(leaves[0])
    split = _left_size(len(leaves))
    return _node_digest(tree_root(leaves[:split]), tree_root(leaves[split:]))


def tree_path(leaves: Sequence[bytes], index: int) -> tuple[Sha256, ...]:
    """The sibling digests from the leaf to the root (RFC 6962, section 2.1.1)."""
    if len(leaves) == 1:
        return ()
    split = _left_size(len(leaves))
    if index < split:
        return (*tree_path(leaves[:split], index), tree_root(leaves[split:]))
    return (*tree_path(leaves[split:], index - split), tree_root(leaves[:split]))


def path_length(size: int, index: int) -> int:
    """The number of digests in a leaf's path, in a tree of ``size`` leaves."""
    if size == 1:
        return 0
    split = _left_size(size)
    return 1 + (path_length(split, index) if index < split else path_length(size - split, index - split))


def root_from_path(leaf: bytes, index: int, size: int, path: Sequence[Sha256]) -> Sha256:
    """The root that leaf and path give; the path must have ``path_length(size, index)`` digests."""
    if size == 1:
        return _leaf_digest(leaf)
    split = _left_size(size)
    if index < split:
        return _node_digest(root_from_path(leaf, index, split, path[:-1]), path[-1])
    return _node_digest(path[-1], root_from_path(leaf, index - split, size - split, path[:-1]))
