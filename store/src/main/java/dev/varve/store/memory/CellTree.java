package dev.varve.store.memory;

import dev.varve.model.Bytes;
import dev.varve.store.Cell;
import org.jspecify.annotations.Nullable;

/**
 * An immutable sorted set of cells, one for each row, family, qualifier and time, newest first
 * within a column. A change gives a new set that shares almost all of the old one, so that a reader
 * keeps what it has begun with at no cost.
 */
final class CellTree {
  /*
   * An AVL tree whose nodes are never changed: a change copies the path from the root to the place.
   */
  static final CellTree EMPTY = new CellTree(null);

  private final @Nullable Node root;

  private CellTree(@Nullable Node root) {
    this.root = root;
  }

  /** Before every cell of the row from this family and qualifier on. */
  static Cell position(Bytes row, int family, Bytes qualifier) {
    return position(row, family, qualifier, Long.MAX_VALUE);
  }

  static Cell position(Bytes row, int family, Bytes qualifier, long time) {
    return new Cell(row, family, qualifier, time, Bytes.EMPTY);
  }

  static Cell startOf(Bytes row) {
    return position(row, 0, Bytes.EMPTY);
  }

  static int compare(Cell a, Cell b) {
    int order = a.row().compareTo(b.row());
    if (order == 0) {
      order = Integer.compare(a.family(), b.family());
    }
    if (order == 0) {
      order = a.qualifier().compareTo(b.qualifier());
    }
    return order == 0 ? Long.compare(b.time(), a.time()) : order;
  }

  /** With the cell, in place of one at its position. */
  CellTree with(Cell cell) {
    return new CellTree(with(root, cell));
  }

  /** Without the cell at the position, if there is one. */
  CellTree without(Cell position) {
    return new CellTree(without(root, position));
  }

  @Nullable Cell atOrAfter(Cell position) {
    return next(position, true);
  }

  @Nullable Cell after(Cell position) {
    return next(position, false);
  }

  private @Nullable Cell next(Cell position, boolean orAt) {
    Cell found = null;
    Node node = root;
    while (node != null) {
      int order = compare(position, node.cell);
      if (order < 0 || (orAt && order == 0)) {
        found = node.cell;
        node = node.left;
      } else {
        node = node.right;
      }
    }
    return found;
  }

  /** The last cell before the position; null as position stands for the end. */
  @Nullable Cell before(@Nullable Cell position) {
    Cell found = null;
    Node node = root;
    while (node != null) {
      if (position == null || compare(position, node.cell) > 0) {
        found = node.cell;
        node = node.right;
      } else {
        node = node.left;
      }
    }
    return found;
  }

  private static Node with(@Nullable Node node, Cell cell) {
    if (node == null) {
      return new Node(cell, null, null);
    }
    int order = compare(cell, node.cell);
    if (order == 0) {
      return new Node(cell, node.left, node.right);
    }
    return order < 0
        ? balanced(node.cell, with(node.left, cell), node.right)
        : balanced(node.cell, node.left, with(node.right, cell));
  }

  private static @Nullable Node without(@Nullable Node node, Cell position) {
    if (node == null) {
      return null;
    }
    int order = compare(position, node.cell);
    if (order < 0) {
      return balanced(node.cell, without(node.left, position), node.right);
    }
    if (order > 0) {
      return balanced(node.cell, node.left, without(node.right, position));
    }
    if (node.right == null) {
      return node.left;
    }
    Node heir = node.right;
    while (heir.left != null) {
      heir = heir.left;
    }
    return balanced(heir.cell, node.left, without(node.right, heir.cell));
  }

  /** A node over two trees whose heights differ by 2 at most. */
  private static Node balanced(Cell cell, @Nullable Node left, @Nullable Node right) {
    if (left != null && left.height > height(right) + 1) {
      Node inner = left.right;
      return inner == null || inner.height <= height(left.left)
          ? new Node(left.cell, left.left, new Node(cell, inner, right))
          : new Node(
              inner.cell,
              new Node(left.cell, left.left, inner.left),
              new Node(cell, inner.right, right));
    }
    if (right != null && right.height > height(left) + 1) {
      Node inner = right.left;
      return inner == null || inner.height <= height(right.right)
          ? new Node(right.cell, new Node(cell, left, inner), right.right)
          : new Node(
              inner.cell,
              new Node(cell, left, inner.left),
              new Node(right.cell, inner.right, right.right));
    }
    return new Node(cell, left, right);
  }

  private static int height(@Nullable Node node) {
    return node == null ? 0 : node.height;
  }

  private static final class Node {
    private final Cell cell;
    private final @Nullable Node left;
    private final @Nullable Node right;
    private final int height;

    private Node(Cell cell, @Nullable Node left, @Nullable Node right) {
      this.cell = cell;
      this.left = left;
      this.right = right;
      this.height = 1 + Math.max(CellTree.height(left), CellTree.height(right));
    }
  }
}
