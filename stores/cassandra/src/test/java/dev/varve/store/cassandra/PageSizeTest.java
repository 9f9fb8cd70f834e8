package dev.varve.store.cassandra;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PageSizeTest {
  private static final long KIB = 1024;

  @Test
  void growsToItsBoundWhereCellsAreLight() {
    PageSize size = new PageSize(2000, new CellWeight());
    assertThat(size.cells()).isEqualTo(50);
    size.learn(50, 50 * 40);
    assertThat(size.cells()).isEqualTo(400);
    size.learn(400, 400 * 40);
    assertThat(size.cells()).isEqualTo(2000);
  }

  @Test
  void makesPagesOfTwoMebibytesWhereTheyAreHeavy() {
    PageSize size = new PageSize(2000, new CellWeight());
    size.learn(50, 50 * 200 * KIB);
    assertThat(size.cells()).isEqualTo(10);
    size.learn(10, 10 * 8192 * KIB);
    assertThat(size.cells()).isEqualTo(1);
    size.learn(1, KIB);
    assertThat(size.cells()).isEqualTo(8);
  }

  @Test
  void shrinksToOneCellAndNoFurther() {
    PageSize size = new PageSize(20, new CellWeight());
    assertThat(size.cells()).isEqualTo(20);
    assertThat(size.shrink()).isTrue();
    assertThat(size.cells()).isEqualTo(5);
    assertThat(size.shrink()).isTrue();
    assertThat(size.cells()).isEqualTo(1);
    assertThat(size.shrink()).isFalse();
  }

  @Test
  void learnsNothingFromAnEmptyPageOrAnUnknownWeight() {
    PageSize size = new PageSize(2000, new CellWeight());
    size.learn(0, 10);
    size.learn(10, -1);
    assertThat(size.cells()).isEqualTo(50);
  }

  @Test
  void startsWithAPageThatSuitsTheHeaviestCellsOfEarlierReads() {
    CellWeight weight = new CellWeight();
    new PageSize(2000, weight).learn(50, 50 * 40);
    assertThat(new PageSize(2000, weight).cells()).isEqualTo(2000);
    new PageSize(2000, weight).learn(50, 50 * 8 * KIB);
    assertThat(new PageSize(2000, weight).cells()).isEqualTo(256);
    for (int i = 0; i < 400; i++) {
      new PageSize(2000, weight).learn(50, 50 * 40);
    }
    assertThat(new PageSize(2000, weight).cells()).isEqualTo(2000);
  }
}
