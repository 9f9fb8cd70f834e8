package dev.varve.store.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.model.Bytes;
import dev.varve.store.Cell;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** Compares the tree with a sorted set of the JDK, using rows that fill many leaves. */
class CellTreeTest {
  private static final Comparator<Cell> ORDER =
      Comparator.comparing(Cell::row)
          .thenComparingInt(Cell::family)
          .thenComparing(Cell::qualifier)
          .thenComparing(Comparator.comparingLong(Cell::time).reversed());

  @Property(tries = 200)
  void holdsWhatASortedSetHolds(@ForAll Random random) {
    CellTree tree = CellTree.EMPTY;
    TreeSet<Cell> set = new TreeSet<>(ORDER);
    int rows = 1 + random.nextInt(4);
    int steps = random.nextInt(1500);
    int deletions = random.nextInt(3);
    for (int i = 0; i < steps; i++) {
      Cell cell = cell(random, rows);
      if (random.nextInt(4) < deletions) {
        tree = tree.without(cell);
        set.remove(cell);
      } else {
        tree = tree.with(cell);
        set.remove(cell);
        set.add(cell);
      }
    }
    assertThat(cells(tree, CellTree.startOf(Bytes.EMPTY))).containsExactlyElementsOf(set);
    for (int i = 0; i < 50; i++) {
      Cell position = cell(random, rows + 1);
      assertThat(tree.atOrAfter(position)).isEqualTo(set.ceiling(position));
      assertThat(tree.after(position)).isEqualTo(set.higher(position));
      Cell before = set.lower(CellTree.startOf(position.row()));
      assertThat(tree.rowBefore(position.row())).isEqualTo(before == null ? null : before.row());
      assertThat(cells(tree, position)).containsExactlyElementsOf(set.tailSet(position));
    }
    assertThat(tree.rowBefore(null)).isEqualTo(set.isEmpty() ? null : set.last().row());
  }

  @Test
  void aChangeLeavesTheSetBeforeAsItWas() {
    CellTree before = CellTree.EMPTY;
    for (int i = 0; i < 1000; i++) {
      before = before.with(cell("r", 0, i, 0, "old"));
    }
    CellTree after = before;
    for (int i = 0; i < 1000; i += 3) {
      after = after.without(cell("r", 0, i, 0, "")).with(cell("r", 0, i + 1, 0, "new"));
    }
    Cell start = CellTree.startOf(Bytes.EMPTY);
    assertThat(cells(before, start)).hasSize(1000).allMatch(cell -> cell.value().length() == 3);
    assertThat(cells(before, start)).extracting(cell -> cell.value().toUtf8()).containsOnly("old");
    assertThat(cells(after, start)).hasSize(666 + 1);
  }

  @Test
  void largeValuesAreNotCopiedWithTheirNeighbours() {
    CellTree tree = CellTree.EMPTY;
    String large = "x".repeat(20_000);
    for (int i = 0; i < 20; i++) {
      tree = tree.with(cell("r", 0, i * 7 % 20, 0, large));
    }
    CellTree.Walk walk = tree.walk();
    int leaves = 0;
    for (Leaf leaf = walk.seek(CellTree.startOf(Bytes.EMPTY)); leaf != null; leaf = walk.next()) {
      assertThat(leaf.size()).isEqualTo(1);
      leaves++;
    }
    assertThat(leaves).isEqualTo(20);
  }

  private static Cell cell(Random random, int rows) {
    String row = "row" + random.nextInt(rows);
    return cell(
        row, random.nextInt(2), random.nextInt(300), random.nextInt(3), "v" + random.nextInt(9));
  }

  private static Cell cell(String row, int family, int qualifier, long time, String value) {
    Bytes column = Bytes.of((byte) (qualifier >> 8), (byte) qualifier);
    return new Cell(Bytes.utf8(row), family, column, time, Bytes.utf8(value));
  }

  private static List<Cell> cells(CellTree tree, Cell from) {
    List<Cell> cells = new ArrayList<>();
    CellTree.Walk walk = tree.walk();
    for (Leaf leaf = walk.seek(from); leaf != null; leaf = walk.next()) {
      for (int i = 0; i < leaf.size(); i++) {
        if (ORDER.compare(leaf.cell(i), from) >= 0) {
          cells.add(leaf.cell(i));
        }
      }
    }
    return cells;
  }
}
