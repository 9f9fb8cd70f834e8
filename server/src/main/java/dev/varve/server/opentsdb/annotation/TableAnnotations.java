package dev.varve.server.opentsdb.annotation;

import dev.varve.engine.NoteTable;
import dev.varve.engine.request.ReadGuard;
import dev.varve.model.Bytes;
import dev.varve.server.http.WriteBudget;
import dev.varve.server.opentsdb.query.JsonBody;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Annotations in attached tables of OpenTSDB, in its cells, so that it sees the same ones. */
final class TableAnnotations implements AnnotationStore {
  /** Servers that write one annotation at once take turns; more attempts than this mean a fault. */
  private static final int ATTEMPTS = 100;

  private final NoteTable notes;

  TableAnnotations(NoteTable notes) {
    this.notes = notes;
  }

  static Annotation read(String json) {
    return Annotation.of(
        JsonBody.read(json.getBytes(StandardCharsets.UTF_8), WriteBudget.unlimited()));
  }

  private static Bytes owner(String tsuid) {
    return Bytes.of(HexFormat.of().parseHex(tsuid));
  }

  @Override
  public @Nullable Annotation get(String tsuid, long start) {
    String found = notes.get(owner(tsuid), start);
    return found == null ? null : read(found);
  }

  @Override
  public Annotation save(Annotation annotation, boolean replaces) {
    Bytes owner = owner(Tsuids.normal(annotation.tsuid()));
    long start = annotation.startTime();
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      String before = notes.get(owner, start);
      Annotation next = before == null ? annotation : annotation.mergedInto(read(before), replaces);
      if (notes.putIf(owner, start, before, next.toStoredJson())) {
        return next;
      }
    }
    throw new IllegalStateException("other writers kept changing the annotation");
  }

  @Override
  public void delete(String tsuid, long start) {
    notes.delete(owner(tsuid), start);
  }

  @Override
  public List<Annotation> between(String tsuid, long from, long to, ReadGuard guard) {
    return notes.between(owner(tsuid), from, to + 1, guard).stream()
        .map(TableAnnotations::read)
        .filter(one -> one.startMillis() >= from && one.startMillis() <= to)
        .sorted(Comparator.comparingLong(Annotation::startMillis))
        .toList();
  }

  @Override
  public @Nullable String attribute() {
    return notes.attribute();
  }

  @Override
  public boolean isEmpty() {
    return false;
  }
}
