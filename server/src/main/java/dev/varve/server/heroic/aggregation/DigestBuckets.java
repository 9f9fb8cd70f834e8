package dev.varve.server.heroic.aggregation;

import com.tdunning.math.stats.Centroid;
import com.tdunning.math.stats.TDigest;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Buckets that merge distributions. */
final class DigestBuckets extends Buckets {
  private static final double COMPRESSION = 100;

  /** Memory of a digest of this compression with its buffers, in bytes. */
  private static final int DIGEST_BYTES = 32 << 10;

  private final Retained retained;
  private final List<@Nullable TDigest> digests = new ArrayList<>();

  DigestBuckets(int count, Retained retained) {
    this.retained = retained;
    for (int i = 0; i < count; i++) {
      digests.add(null);
    }
  }

  private TDigest digest(int bucket) {
    TDigest known = digests.get(bucket);
    if (known == null) {
      retained.hold(DIGEST_BYTES, "digests of distributions");
      known = TDigest.createMergingDigest(COMPRESSION);
      digests.set(bucket, known);
    }
    return known;
  }

  @Override
  boolean takes(Values values) {
    return values instanceof Values.Distributions || values instanceof Values.Digests;
  }

  @Override
  void sketch(int bucket, Sketch sketch) {
    for (int i = 0; i < sketch.means().length; i++) {
      digest(bucket).add(sketch.means()[i], (int) sketch.weights()[i]);
    }
  }

  @Override
  void digest(int bucket, TDigest other) {
    for (Centroid centroid : other.centroids()) {
      digest(bucket).add(centroid.mean(), centroid.count());
    }
  }

  @Override
  Values result(BucketGrid grid) {
    List<Values.Digest> merged = new ArrayList<>();
    for (int i = 0; i < digests.size(); i++) {
      TDigest digest = digests.get(i);
      if (digest != null) {
        merged.add(new Values.Digest(grid.time(i), digest));
      }
    }
    return new Values.Digests(merged);
  }
}
