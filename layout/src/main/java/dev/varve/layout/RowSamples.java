package dev.varve.layout;

import dev.varve.model.Kind;
import dev.varve.model.Samples;
import dev.varve.model.Value;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Collects the decoded contents of a row: for each field and kind a vector of samples, in cell
 * order. Reusable. Not safe for use by several threads.
 */
public final class RowSamples {
  /** The samples of one field and kind. Empty vectors are kept for the next row. */
  public record Vector(String field, Samples samples) {}

  /** An attribute found in the row. */
  public record Found(String name, @Nullable Long time, Value value) {}

  /** A damaged cell, identified by its index in the batch. */
  public record Damage(int cell, String reason) {}

  private final List<Vector> vectors = new ArrayList<>(2);
  private final List<Found> attributes = new ArrayList<>(0);
  private final List<Damage> damages = new ArrayList<>(0);

  /** Returns the vector for samples of a field and kind, creating it if necessary. */
  public Samples samples(String field, Kind kind) {
    for (int i = 0; i < vectors.size(); i++) {
      Vector vector = vectors.get(i);
      if (vector.samples().kind() == kind && vector.field().equals(field)) {
        return vector.samples();
      }
    }
    Samples samples = new Samples(kind);
    vectors.add(new Vector(field, samples));
    return samples;
  }

  public void attribute(String name, @Nullable Long time, Value value) {
    attributes.add(new Found(name, time, value));
  }

  public void damaged(int cell, String reason) {
    damages.add(new Damage(cell, reason));
  }

  /** Returns all vectors, including those that this row left empty. */
  public List<Vector> vectors() {
    return vectors;
  }

  public List<Found> attributes() {
    return attributes;
  }

  public List<Damage> damages() {
    return damages;
  }

  public void clear() {
    for (int i = 0; i < vectors.size(); i++) {
      vectors.get(i).samples().clear();
    }
    attributes.clear();
    damages.clear();
  }
}
