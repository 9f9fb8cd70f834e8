package dev.varve.layout.block;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import java.util.function.LongUnaryOperator;
import java.util.stream.LongStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class ColumnsTest {
  @Property(tries = 400)
  void packsEveryWidthAndCount(
      @ForAll @IntRange(max = 64) int width,
      @ForAll @IntRange(min = 1, max = 1024) int some,
      @ForAll Random random) {
    int count = random.nextInt(3) == 0 ? BitPacking.VECTOR : some;
    long mask = width == 0 ? 0 : -1L >>> (64 - width);
    long[] numbers = random.longs(count).map(number -> number & mask).toArray();
    ByteOutput out = new ByteOutput();
    BitPacking.pack(numbers, 0, count, width, out);
    assertThat(out.length()).isEqualTo(BitPacking.bytes(count, width));
    long[] again = new long[count];
    byte[] bytes = out.toBytes().toArray();
    BitPacking.unpack(new ByteInput(bytes, 0, bytes.length), count, width, again, 0);
    assertThat(again).containsExactly(numbers);
  }

  @Property(tries = 600)
  void returnsEveryInt64(@ForAll Random random) {
    long[] values = longs(random);
    assertThat(again(values)).containsExactly(values);
  }

  @Property(tries = 600)
  void returnsTheBitsOfEveryDouble(@ForAll Random random) {
    long[] values = doubles(random);
    ByteOutput out = new ByteOutput();
    new DoubleColumn().encode(values, 0, values.length, out);
    byte[] bytes = out.toBytes().toArray();
    long[] again = new long[values.length];
    ByteInput in = new ByteInput(bytes, 0, bytes.length);
    new DoubleColumn().decode(in, values.length, again, 0, values.length);
    assertThat(again).containsExactly(values);
    assertThat(in.left()).isZero();
  }

  @Test
  void takesFewBytesForWhatChangesLittle() {
    Random random = new Random(1);
    assertThat(bytes(LongStream.range(0, 8640).map(i -> 1_700_000_000_000L + 10_000 * i).toArray()))
        .as("regular times")
        .isLessThan(40);
    long[] walk = new long[8640];
    for (int i = 1; i < walk.length; i++) {
      walk[i] = Math.clamp(walk[i - 1] + Math.round(random.nextGaussian()), 0, 100);
    }
    assertThat(bytes(walk)).as("a walk").isLessThan(8640 * 3 / 8 + 100);
    long[] outlier = walk.clone();
    outlier[4000] = Long.MAX_VALUE;
    assertThat(bytes(outlier)).as("a walk with an outlier").isLessThan(bytes(walk) + 40);
    long[] thousands = Arrays.stream(walk).map(one -> one * 1000).toArray();
    assertThat(bytes(thousands)).as("multiples").isLessThan(bytes(walk) + 10);
  }

  @Test
  void takesNoMoreBytesThanRawForDoublesOfManyDigits() {
    Random random = new Random(1);
    double[] uniform = random.doubles(2880).toArray();
    assertThat(bytes(uniform)).as("random").isLessThan(2880 * 7 + 200);
    double[] sums = uniform.clone();
    Arrays.parallelPrefix(sums, Double::sum);
    assertThat(bytes(sums)).as("their sums").isLessThan(2880 * 6);
  }

  private static int bytes(double[] values) {
    long[] bits = Arrays.stream(values).mapToLong(Double::doubleToRawLongBits).toArray();
    ByteOutput out = new ByteOutput();
    new DoubleColumn().encode(bits, 0, bits.length, out);
    return out.length();
  }

  @Property(tries = 300)
  void aPartOfAColumnHasTheSameNumbers(@ForAll long seed) {
    Random random = new Random(seed);
    long[] values = longs(random);
    int from = random.nextInt(values.length + 1);
    int to = from + random.nextInt(values.length - from + 1);
    ByteOutput out = new ByteOutput();
    new LongColumn().encode(values, 0, values.length, out);
    byte[] bytes = out.toBytes().toArray();
    ByteInput in = new ByteInput(bytes, 0, bytes.length);
    long[] part = new long[values.length];
    LongColumn.decode(in, values.length, part, from, to);
    assertThat(in.left()).isZero();
    assertThat(Arrays.copyOfRange(part, from, to)).isEqualTo(Arrays.copyOfRange(values, from, to));
  }

  @Property(tries = 300)
  void aPartOfAColumnOfDoublesHasTheSameBits(@ForAll long seed) {
    Random random = new Random(seed);
    long[] bits = new long[random.nextInt(4000)];
    boolean split = random.nextBoolean();
    for (int i = 0; i < bits.length; i++) {
      boolean odd = split || random.nextInt(100) == 0;
      bits[i] = Double.doubleToRawLongBits(odd ? random.nextDouble() : random.nextInt(999) / 10.0);
    }
    int from = random.nextInt(bits.length + 1);
    int to = from + random.nextInt(bits.length - from + 1);
    ByteOutput out = new ByteOutput();
    new DoubleColumn().encode(bits, 0, bits.length, out);
    byte[] bytes = out.toBytes().toArray();
    ByteInput in = new ByteInput(bytes, 0, bytes.length);
    long[] part = new long[bits.length];
    new DoubleColumn().decode(in, bits.length, part, from, to);
    assertThat(in.left()).isZero();
    assertThat(Arrays.copyOfRange(part, from, to)).isEqualTo(Arrays.copyOfRange(bits, from, to));
  }

  private static int bytes(long[] values) {
    ByteOutput out = new ByteOutput();
    new LongColumn().encode(values, 0, values.length, out);
    return out.length();
  }

  private static long[] again(long[] values) {
    ByteOutput out = new ByteOutput();
    new LongColumn().encode(values, 0, values.length, out);
    byte[] bytes = out.toBytes().toArray();
    long[] again = new long[values.length];
    ByteInput in = new ByteInput(bytes, 0, bytes.length);
    LongColumn.decode(in, values.length, again);
    assertThat(in.left()).isZero();
    return again;
  }

  /** Returns numbers as they come: equal, rising, walking, of any size, with outliers. */
  static long[] longs(Random random) {
    int count = random.nextInt(10) == 0 ? random.nextInt(5000) : random.nextInt(60);
    long step = random.nextLong() >> random.nextInt(64);
    int shift = random.nextInt(64);
    LongUnaryOperator next =
        switch (random.nextInt(5)) {
          case 0 -> before -> before;
          case 1 -> before -> before + step;
          case 2 -> before -> before + (random.nextLong() >> shift);
          case 3 -> before -> random.nextLong() >> shift;
          default -> before -> step * random.nextInt(100);
        };
    long[] values = new long[count];
    long value = random.nextLong() >> random.nextInt(64);
    for (int i = 0; i < count; i++) {
      value = next.applyAsLong(value);
      values[i] = random.nextInt(50) == 0 ? random.nextLong() : value;
    }
    return values;
  }

  /** Returns the bits of doubles: decimals, integers, random ones, and special values. */
  static long[] doubles(Random random) {
    double power = Math.pow(10, random.nextInt(18));
    boolean decimal = random.nextBoolean();
    long[] special = {
      0x7ff8000000000000L,
      0x7ff0000000000002L,
      0xfff8000000001234L,
      Long.MIN_VALUE,
      0,
      0x7ff0000000000000L,
      0xfff0000000000000L,
      1,
      0x7fefffffffffffffL
    };
    long[] values = longs(random);
    for (int i = 0; i < values.length; i++) {
      values[i] =
          random.nextInt(30) == 0
              ? special[random.nextInt(special.length)]
              : decimal ? Double.doubleToRawLongBits(values[i] / power) : values[i];
    }
    return values;
  }
}
