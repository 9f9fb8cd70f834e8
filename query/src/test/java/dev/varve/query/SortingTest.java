package dev.varve.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.store.ReadCancelledException;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.Test;

class SortingTest {
  private static final int SIZE = 600_000;

  @Test
  void sortsAsTheLibraryDoes() {
    Random random = new Random(42);
    double[] odd = {Double.NaN, -0.0, 0.0, Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY, 1};
    check(i -> random.nextGaussian());
    check(i -> i);
    check(i -> -i);
    check(i -> 7);
    check(i -> i % 3);
    check(i -> odd[random.nextInt(odd.length)]);
    check(i -> i < SIZE / 2 ? i : SIZE - i);
    check(i -> Double.NaN);
  }

  private static void check(IntToDoubleFunction value) {
    double[] values = new double[SIZE + 5];
    Arrays.setAll(values, value);
    double[] expected = values.clone();
    Arrays.sort(expected, 0, SIZE);
    long[] whole = new long[SIZE];
    Arrays.setAll(whole, i -> Double.doubleToLongBits(values[i]));
    long[] expectedWhole = whole.clone();
    Arrays.sort(expectedWhole);

    Sorting.sort(values, SIZE, () -> {});
    Sorting.sort(whole, () -> {});
    assertThat(Arrays.equals(values, expected)).isTrue();
    assertThat(Arrays.equals(whole, expectedWhole)).isTrue();
  }

  @Test
  void endsWhereItIsNotWantedAnyMore() {
    double[] values = new Random(1).doubles(SIZE).toArray();
    AtomicInteger asked = new AtomicInteger();
    assertThatThrownBy(() ->
            Sorting.sort(
                values,
                SIZE,
                () -> {
                  if (asked.incrementAndGet() == 3) {
                    throw new ReadCancelledException();
                  }
                }))
        .isInstanceOf(ReadCancelledException.class);
    assertThat(asked).hasValue(3);
  }
}
