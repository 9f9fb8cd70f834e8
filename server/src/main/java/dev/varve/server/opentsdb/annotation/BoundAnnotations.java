package dev.varve.server.opentsdb.annotation;

import dev.varve.engine.request.ReadGuard;
import dev.varve.server.opentsdb.query.NoteKeys;
import dev.varve.server.opentsdb.query.OpenTsdbError;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The annotations of the series that a user may use, by the TSUIDs that the user knows. Those of
 * all series are refused. For one request.
 */
final class BoundAnnotations implements AnnotationStore {
  private final AnnotationStore all;
  private final NoteKeys keys;

  BoundAnnotations(AnnotationStore all, NoteKeys keys) {
    this.all = all;
    this.keys = keys;
  }

  private String kept(String tsuid) {
    if (tsuid.isEmpty()) {
      throw new OpenTsdbError(
          403, "Annotations without a TSUID concern all series, and you may use some alone");
    }
    return Tsuids.normal(keys.tsuid(tsuid));
  }

  @Override
  public @Nullable Annotation get(String tsuid, long start) {
    Annotation found = all.get(kept(tsuid), start);
    return found == null ? null : found.of(tsuid);
  }

  @Override
  public Annotation save(Annotation annotation, boolean replaces) {
    String tsuid = Tsuids.normal(annotation.tsuid());
    return all.save(annotation.of(kept(tsuid)), replaces).of(annotation.tsuid());
  }

  @Override
  public void delete(String tsuid, long start) {
    all.delete(kept(tsuid), start);
  }

  @Override
  public List<Annotation> between(String tsuid, long from, long to, ReadGuard guard) {
    return all.between(kept(tsuid), from, to, guard).stream().map(one -> one.of(tsuid)).toList();
  }

  @Override
  public @Nullable String attribute() {
    return null;
  }

  @Override
  public boolean isEmpty() {
    return all.isEmpty();
  }
}
