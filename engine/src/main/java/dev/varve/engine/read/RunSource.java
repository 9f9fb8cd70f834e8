package dev.varve.engine.read;

import dev.varve.model.Attribute;
import dev.varve.model.Run;
import org.jspecify.annotations.Nullable;

/** Delivers the runs of some series in one period. Used by one thread. */
interface RunSource {
  /** Returns the next run, or null at the end. Its samples are valid until the next call. */
  @Nullable Run next();

  /** Returns the next attribute, or null at the end. Drops runs. */
  @Nullable Attribute nextAttribute();
}
