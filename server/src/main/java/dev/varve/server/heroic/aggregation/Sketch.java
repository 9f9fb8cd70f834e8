package dev.varve.server.heroic.aggregation;

import dev.varve.model.Bytes;
import java.nio.ByteBuffer;

/**
 * A distribution as its sender encoded it: a t-digest of the library {@code com.tdunning:t-digest},
 * verbose or small. Only what an estimate needs is read: the centroids.
 *
 * @param means of the centroids, ascending
 * @param weights of the centroids; their sum is the number of samples
 */
public record Sketch(double[] means, double[] weights) {
  private static final int VERBOSE = 1;
  private static final int SMALL = 2;

  /** Bytes of a small digest before its number of centroids: min, max, compression, two sizes. */
  private static final int SMALL_HEAD = 8 + 8 + 4 + 2 + 2;

  private static final int VERBOSE_HEAD = 8 + 8 + 8;

  /**
   * Decodes a distribution; no bytes are one without samples.
   *
   * @throws IllegalArgumentException if the bytes are not a digest; the message says why
   */
  public static Sketch of(Bytes bytes) {
    if (bytes.isEmpty()) {
      return new Sketch(new double[0], new double[0]);
    }
    ByteBuffer in = ByteBuffer.wrap(bytes.toArray());
    require(in, 4);
    int encoding = in.getInt();
    return switch (encoding) {
      case VERBOSE -> {
        require(in, VERBOSE_HEAD + 4);
        in.position(in.position() + VERBOSE_HEAD);
        yield centroids(in, in.getInt(), 16);
      }
      case SMALL -> {
        require(in, SMALL_HEAD + 2);
        in.position(in.position() + SMALL_HEAD);
        yield centroids(in, in.getShort(), 8);
      }
      default ->
          throw new IllegalArgumentException(
              "a t-digest begins with encoding 1 or 2, not " + encoding);
    };
  }

  private static void require(ByteBuffer in, long wanted) {
    if (in.remaining() < wanted) {
      throw new IllegalArgumentException(
          "a t-digest of %d bytes ends too early".formatted(in.limit()));
    }
  }

  private static Sketch centroids(ByteBuffer in, int count, int bytesEach) {
    if (count < 0) {
      throw new IllegalArgumentException("a t-digest has %d centroids".formatted(count));
    }
    // Checked before arrays of that size are made.
    require(in, (long) count * bytesEach);
    double[] means = new double[count];
    double[] weights = new double[count];
    for (int i = 0; i < count; i++) {
      weights[i] = bytesEach == 16 ? in.getDouble() : in.getFloat();
      means[i] = bytesEach == 16 ? in.getDouble() : in.getFloat();
      if (!(weights[i] >= 1 && weights[i] <= Integer.MAX_VALUE) || !Double.isFinite(means[i])) {
        throw new IllegalArgumentException(
            "centroid %d of a t-digest has weight %s and mean %s"
                .formatted(i, weights[i], means[i]));
      }
    }
    return new Sketch(means, weights);
  }

  /** Returns the number of samples. */
  public double samples() {
    double samples = 0;
    for (double weight : weights) {
      samples += weight;
    }
    return samples;
  }

  /** Returns an estimate of its memory, in bytes. */
  public long bytes() {
    return 100 + 16L * means.length;
  }
}
