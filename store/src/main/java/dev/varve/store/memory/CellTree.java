package dev.varve.store.memory;

import dev.varve.model.Bytes;
import dev.varve.store.Cell;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * An immutable sorted set of cells, keyed by row, family, qualifier and time, newest first within a
 * column. A change yields a new set that shares almost all of its structure with the old one, so
 * readers get snapshots for free.
 */
final class CellTree {
  /*
   * An AVL tree of leaves with immutable nodes: a change copies one leaf and the path from the root
   * to
   * it. Leaves are ordered by their first cells; leaves of one row and family are adjacent.
   */
  static final CellTree EMPTY = new CellTree(null);

  private final @Nullable Node root;

  private CellTree(@Nullable Node root) {
    this.root = root;
  }

  /** Returns the position before every cell of the row from this family and qualifier on. */
  static Cell position(Bytes row, int family, Bytes qualifier) {
    return position(row, family, qualifier, Long.MAX_VALUE);
  }

  static Cell position(Bytes row, int family, Bytes qualifier, long time) {
    return new Cell(row, family, qualifier, time, Bytes.EMPTY);
  }

  static Cell startOf(Bytes row) {
    return position(row, 0, Bytes.EMPTY);
  }

  /** Compares a position with the first cell of a leaf. */
  static int compare(Cell position, Leaf leaf) {
    int order = position.row().compareTo(leaf.row());
    if (order == 0) {
      order = Integer.compare(position.family(), leaf.family());
    }
    if (order == 0) {
      order = leaf.compareQualifier(position.qualifier(), 0);
    }
    return order == 0 ? Long.compare(leaf.time(0), position.time()) : order;
  }

  /** Returns a tree with the cell added, replacing any cell at its position. */
  CellTree with(Cell cell) {
    Leaf home = home(cell);
    if (home == null) {
      return new CellTree(with(root, Leaf.of(cell)));
    }
    Leaf grown = home.with(cell);
    if (!grown.isLarge()) {
      return new CellTree(replaced(root, home.cell(0), grown));
    }
    // With ascending inserts, a full leaf is left behind instead of being halved.
    int last = grown.size() - 1;
    boolean appended = grown.isAt(last, cell.qualifier(), cell.time());
    int middle = appended ? last : grown.size() / 2;
    Node left = replaced(root, home.cell(0), grown.part(0, middle));
    return new CellTree(with(left, grown.part(middle, grown.size())));
  }

  /** Returns the leaf that a cell belongs to, or null if it starts a new one. */
  private @Nullable Leaf home(Cell cell) {
    Leaf before = lastFrom(cell);
    if (before != null && before.isOf(cell.row(), cell.family())) {
      return before;
    }
    Leaf following = firstAfter(cell);
    return following != null && following.isOf(cell.row(), cell.family()) ? following : null;
  }

  /** Returns a tree without the cell at the position, if there is one. */
  CellTree without(Cell position) {
    Leaf home = lastFrom(position);
    if (home == null || !home.isOf(position.row(), position.family())) {
      return this;
    }
    int index = home.firstFrom(position.qualifier(), position.time());
    if (index == home.size() || !home.isAt(index, position.qualifier(), position.time())) {
      return this;
    }
    return new CellTree(
        home.size() == 1
            ? without(root, position)
            : replaced(root, home.cell(0), home.without(index)));
  }

  @Nullable Cell atOrAfter(Cell position) {
    return next(position, true);
  }

  @Nullable Cell after(Cell position) {
    return next(position, false);
  }

  private @Nullable Cell next(Cell position, boolean orAt) {
    Leaf home = lastFrom(position);
    if (home != null && home.isOf(position.row(), position.family())) {
      int index = home.firstFrom(position.qualifier(), position.time());
      boolean at = index < home.size() && home.isAt(index, position.qualifier(), position.time());
      index += at && !orAt ? 1 : 0;
      if (index < home.size()) {
        return home.cell(index);
      }
    }
    Leaf following = firstAfter(position);
    return following == null ? null : following.cell(0);
  }

  /**
   * Returns the last row before another, or the very last row if {@code row} is null; null if there
   * is none.
   */
  @Nullable Bytes rowBefore(@Nullable Bytes row) {
    Cell position = row == null ? null : startOf(row);
    Leaf found = null;
    Node node = root;
    while (node != null) {
      if (position == null || compare(position, node.leaf) > 0) {
        found = node.leaf;
        node = node.right;
      } else {
        node = node.left;
      }
    }
    return found == null ? null : found.row();
  }

  /** Returns the last leaf that starts at or before the position, or null. */
  private @Nullable Leaf lastFrom(Cell position) {
    Leaf found = null;
    Node node = root;
    while (node != null) {
      if (compare(position, node.leaf) >= 0) {
        found = node.leaf;
        node = node.right;
      } else {
        node = node.left;
      }
    }
    return found;
  }

  /** Returns the first leaf that starts after the position, or null. */
  private @Nullable Leaf firstAfter(Cell position) {
    Leaf found = null;
    Node node = root;
    while (node != null) {
      if (compare(position, node.leaf) < 0) {
        found = node.leaf;
        node = node.left;
      } else {
        node = node.right;
      }
    }
    return found;
  }

  Walk walk() {
    return new Walk(root);
  }

  /** Iterates over the leaves in order, at amortised constant cost. */
  static final class Walk {
    private final @Nullable Node root;

    /** Nodes whose leaves are pending and from which all other pending nodes can be reached. */
    private final Deque<Node> path = new ArrayDeque<>();

    private Walk(@Nullable Node root) {
      this.root = root;
    }

    /** Returns the leaf that contains the position or, failing that, the first leaf after it. */
    @Nullable Leaf seek(Cell position) {
      path.clear();
      Leaf before = null;
      Node node = root;
      while (node != null) {
        if (compare(position, node.leaf) < 0) {
          path.push(node);
          node = node.left;
        } else {
          before = node.leaf;
          node = node.right;
        }
      }
      boolean within =
          before != null
              && before.isOf(position.row(), position.family())
              && before.firstFrom(position.qualifier(), position.time()) < before.size();
      return within ? before : next();
    }

    @Nullable Leaf next() {
      Node next = path.poll();
      if (next == null) {
        return null;
      }
      for (Node node = next.right; node != null; node = node.left) {
        path.push(node);
      }
      return next.leaf;
    }
  }

  private static Node with(@Nullable Node node, Leaf leaf) {
    if (node == null) {
      return new Node(leaf, null, null);
    }
    return compare(leaf.cell(0), node.leaf) < 0
        ? balanced(node.leaf, with(node.left, leaf), node.right)
        : balanced(node.leaf, node.left, with(node.right, leaf));
  }

  /** Replaces the leaf that starts with a cell. */
  private static Node replaced(@Nullable Node node, Cell first, Leaf by) {
    if (node == null) {
      throw new IllegalStateException("no leaf starts with " + first);
    }
    int order = compare(first, node.leaf);
    if (order == 0) {
      return new Node(by, node.left, node.right);
    }
    return order < 0
        ? new Node(node.leaf, replaced(node.left, first, by), node.right)
        : new Node(node.leaf, node.left, replaced(node.right, first, by));
  }

  /** Removes the leaf that starts with a cell. */
  private static @Nullable Node without(@Nullable Node node, Cell first) {
    if (node == null) {
      return null;
    }
    int order = compare(first, node.leaf);
    if (order < 0) {
      return balanced(node.leaf, without(node.left, first), node.right);
    }
    if (order > 0) {
      return balanced(node.leaf, node.left, without(node.right, first));
    }
    if (node.right == null) {
      return node.left;
    }
    Node heir = node.right;
    while (heir.left != null) {
      heir = heir.left;
    }
    return balanced(heir.leaf, node.left, without(node.right, heir.leaf.cell(0)));
  }

  /** Joins two trees whose heights differ by at most 2. */
  private static Node balanced(Leaf leaf, @Nullable Node left, @Nullable Node right) {
    if (left != null && left.height > height(right) + 1) {
      Node inner = left.right;
      return inner == null || inner.height <= height(left.left)
          ? new Node(left.leaf, left.left, new Node(leaf, inner, right))
          : new Node(
              inner.leaf,
              new Node(left.leaf, left.left, inner.left),
              new Node(leaf, inner.right, right));
    }
    if (right != null && right.height > height(left) + 1) {
      Node inner = right.left;
      return inner == null || inner.height <= height(right.right)
          ? new Node(right.leaf, new Node(leaf, left, inner), right.right)
          : new Node(
              inner.leaf,
              new Node(leaf, left, inner.left),
              new Node(right.leaf, inner.right, right.right));
    }
    return new Node(leaf, left, right);
  }

  private static int height(@Nullable Node node) {
    return node == null ? 0 : node.height;
  }

  private static final class Node {
    private final Leaf leaf;
    private final @Nullable Node left;
    private final @Nullable Node right;
    private final int height;

    private Node(Leaf leaf, @Nullable Node left, @Nullable Node right) {
      this.leaf = leaf;
      this.left = left;
      this.right = right;
      this.height = 1 + Math.max(CellTree.height(left), CellTree.height(right));
    }
  }
}
