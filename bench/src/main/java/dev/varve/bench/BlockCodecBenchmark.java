package dev.varve.bench;

import dev.varve.layout.block.BlockHead;
import dev.varve.layout.block.BlockReader;
import dev.varve.layout.block.BlockWriter;
import dev.varve.layout.block.SampleColumn;
import dev.varve.model.Kind;
import dev.varve.model.TimeRange;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Encodes and decodes a block of the layout {@code blocks}, by the kind of its values and by the
 * regularity of its times. Decoding includes the checksum.
 */
@SuppressWarnings("NullAway.Init") // JMH calls the method marked @Setup before all others.
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(
    value = 1,
    jvmArgsAppend = {"-Xmx1g"})
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
public class BlockCodecBenchmark {
  private static final int SAMPLES = 4_096;
  private static final long START = 1_700_000_000_000L;
  private static final long STEP = 10_000;

  /** The values of a block. */
  public enum Values {
    /** A counter of whole steps, as a double. */
    COUNTER,
    /** A number with one decimal place, as a double. */
    DECIMAL,
    /** Doubles whose bits follow no pattern. */
    RANDOM,
    /** A counter of whole steps, as an int64. */
    INT64
  }

  /** The times of a block. */
  public enum Times {
    REGULAR,
    /** Up to 20 ms late. */
    LATE
  }

  @Param private Values values = Values.COUNTER;
  @Param private Times times = Times.REGULAR;

  private final SampleColumn column = new SampleColumn();
  private final SampleColumn decoded = new SampleColumn();
  private final BlockWriter writer = new BlockWriter();
  private final BlockReader reader = new BlockReader();
  private BlockHead head;
  private byte[] body;

  /** Creates the samples, and encodes them. */
  @Setup
  public void prepare() {
    RandomGenerator random = RandomGenerator.of("L64X128MixRandom");
    long counter = 0;
    for (int i = 0; i < SAMPLES; i++) {
      long late = times == Times.LATE ? random.nextInt(20) : 0;
      counter += random.nextInt(100);
      Kind kind = values == Values.INT64 ? Kind.INT64 : Kind.DOUBLE;
      long value =
          switch (values) {
            case COUNTER -> Double.doubleToRawLongBits((double) counter);
            case DECIMAL -> Double.doubleToRawLongBits(random.nextInt(10_000) / 10.0);
            case RANDOM -> Double.doubleToRawLongBits(random.nextDouble());
            case INT64 -> counter;
          };
      column.add(START + i * STEP + late, kind, value);
    }
    encode();
    byte[] encodedHead = writer.head().toArray();
    head = BlockHead.read(encodedHead, 0, encodedHead.length);
    body = writer.body().toArray();
  }

  /** Encodes a block; per sample. */
  @Benchmark
  @OperationsPerInvocation(SAMPLES)
  public BlockWriter encode() {
    writer.encode(column, 0, SAMPLES);
    return writer;
  }

  /** Decodes a block; per sample. */
  @Benchmark
  @OperationsPerInvocation(SAMPLES)
  public int decode() {
    decoded.clear();
    reader.decode(head, null, body, 0, body.length, TimeRange.ALL, decoded);
    return decoded.size();
  }
}
