package dev.varve.server.opentsdb.annotation;

import dev.varve.engine.ServiceTexts;
import dev.varve.engine.request.ReadGuard;
import dev.varve.server.http.WriteBudget;
import dev.varve.server.opentsdb.query.JsonBody;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Annotations in the home of a dataset: under the TSUID, by time, each as OpenTSDB's JSON. */
final class HomeAnnotations implements AnnotationStore {
  private static final String SERVICE = "_Annotations";

  /** Servers that write one annotation at once take turns; more attempts than this mean a fault. */
  private static final int ATTEMPTS = 100;

  private final ServiceTexts texts;

  HomeAnnotations(ServiceTexts texts) {
    this.texts = texts;
  }

  /** Returns a key that sorts by time. */
  private static String key(long millis) {
    return "%019d".formatted(millis);
  }

  private static Annotation read(ServiceTexts.Text text) {
    byte[] json = text.text().getBytes(StandardCharsets.UTF_8);
    return Annotation.of(JsonBody.read(json, WriteBudget.unlimited()));
  }

  @Override
  public @Nullable Annotation get(String tsuid, long start) {
    ServiceTexts.Text found = texts.get(SERVICE, tsuid, key(Annotation.millis(start)));
    return found == null ? null : read(found);
  }

  @Override
  public Annotation save(Annotation annotation, boolean replaces) {
    String tsuid = Tsuids.normal(annotation.tsuid());
    String key = key(annotation.startMillis());
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      ServiceTexts.Text before = texts.get(SERVICE, tsuid, key);
      Annotation next = before == null ? annotation : annotation.mergedInto(read(before), replaces);
      String expected = before == null ? null : before.text();
      if (texts.putIf(SERVICE, tsuid, key, expected, next.toStoredJson())) {
        return next;
      }
    }
    throw new IllegalStateException("other writers kept changing the annotation");
  }

  @Override
  public void delete(String tsuid, long start) {
    texts.delete(SERVICE, tsuid, key(Annotation.millis(start)));
  }

  @Override
  public List<Annotation> between(String tsuid, long from, long to, ReadGuard guard) {
    String first = key(Math.max(0, from));
    String last = key(Math.max(0, to));
    List<Annotation> found = new ArrayList<>();
    for (ServiceTexts.Text text : texts.texts(SERVICE, tsuid, common(first, last), guard)) {
      if (text.key().compareTo(first) >= 0 && text.key().compareTo(last) <= 0) {
        found.add(read(text));
      }
    }
    return found;
  }

  /** Returns the prefix of all keys between two. */
  private static String common(String first, String last) {
    int length = 0;
    while (length < first.length() && first.charAt(length) == last.charAt(length)) {
      length++;
    }
    return first.substring(0, length);
  }

  @Override
  public @Nullable String attribute() {
    return null;
  }

  @Override
  public boolean isEmpty() {
    return !texts.has(SERVICE);
  }
}
