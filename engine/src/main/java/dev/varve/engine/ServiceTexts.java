package dev.varve.engine;

import dev.varve.engine.error.WriteFailedException;
import dev.varve.engine.home.ClockTable;
import dev.varve.engine.home.ServiceTable;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.engine.request.ReadGuard;
import dev.varve.model.Bytes;
import dev.varve.store.StoreException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Texts that services keep in the home of a dataset, such as definitions and states of tasks. A
 * name has three parts: service, service key and key. All servers on a store share them. Safe for
 * use by several threads.
 */
public final class ServiceTexts implements NamedTexts {
  /** Maximum length of the three parts of a name together, in bytes of UTF-8. */
  public static final int NAME_MAX = 3_000;

  /** Maximum length of a text, in bytes of UTF-8. */
  public static final int TEXT_MAX = 1 << 20;

  /**
   * A stored text.
   *
   * @param modified time of the last write, in microseconds since 1970
   */
  public record Text(String key, String text, long modified) {}

  private final OpenDataset dataset;

  ServiceTexts(OpenDataset dataset) {
    this.dataset = dataset;
  }

  /**
   * Returns a text; null if there is none.
   *
   * @throws IllegalArgumentException if the name is too long or has a NUL
   */
  @Override
  public @Nullable Text get(String service, String serviceKey, String key) {
    ServiceTable.Entry entry = table().get(row(service, serviceKey, key));
    return entry == null ? null : text(entry);
  }

  /**
   * Stores a text and returns once it is durable.
   *
   * @throws IllegalArgumentException if name or text are too long, or the name has a NUL
   * @throws WriteFailedException if the store failed
   */
  @Override
  public void put(String service, String serviceKey, String key, String text) {
    Bytes row = row(service, serviceKey, key);
    requireLength(text);
    written(() -> table().put(row, text, stamp()));
  }

  /**
   * Stores a text if the stored one is as expected, and returns once it is durable.
   *
   * @param expected null if no text must be stored
   * @return whether the text was stored
   * @throws IllegalArgumentException as {@link #put}
   * @throws WriteFailedException if the store failed
   */
  @Override
  public boolean putIf(
      String service, String serviceKey, String key, @Nullable String expected, String text) {
    Bytes row = row(service, serviceKey, key);
    requireLength(text);
    boolean[] stored = {false};
    written(() -> stored[0] = table().putIf(row, expected, text, stamp()));
    return stored[0];
  }

  /**
   * Deletes a text and returns once that is durable. Does nothing if there is none.
   *
   * @throws IllegalArgumentException if the name is too long or has a NUL
   * @throws WriteFailedException if the store failed
   */
  @Override
  public void delete(String service, String serviceKey, String key) {
    Bytes row = row(service, serviceKey, key);
    written(() -> table().delete(row));
  }

  /** Returns the distinct service keys of a service, sorted. */
  @Override
  public List<String> serviceKeys(String service, ReadGuard guard) {
    row(service, "", "");
    TreeSet<String> keys = new TreeSet<>();
    table().read(ServiceTable.prefix(service), guard, entry -> keys.add(entry.serviceKey()));
    return List.copyOf(keys);
  }

  /**
   * Returns the texts of a service key whose keys begin with a prefix, in the order of the keys'
   * bytes.
   *
   * @param guard accounts for their memory
   */
  @Override
  public List<Text> texts(String service, String serviceKey, String prefix, ReadGuard guard) {
    List<Text> texts = new ArrayList<>();
    table().read(row(service, serviceKey, prefix), guard, entry -> texts.add(text(entry)));
    return texts;
  }

  /** Passes on all texts of a service key, in the order of the keys' bytes, and keeps none. */
  public void each(String service, String serviceKey, Consumer<Text> into) {
    table().read(row(service, serviceKey, ""), ReadGuard.NONE, entry -> into.accept(text(entry)));
  }

  /** Returns the number of texts of a service key. */
  public int count(String service, String serviceKey) {
    int[] count = {0};
    each(service, serviceKey, text -> count[0]++);
    return count[0];
  }

  /** Returns whether a service has any text. */
  public boolean has(String service) {
    row(service, "", "");
    return table().has(ServiceTable.prefix(service));
  }

  /** Returns whether other servers may use the same texts. */
  public boolean areShared() {
    return !dataset.homeStore().isEmbedded();
  }

  private static Text text(ServiceTable.Entry entry) {
    return new Text(entry.key(), entry.text(), entry.stamp());
  }

  private ServiceTable table() {
    return dataset.home().services();
  }

  private long stamp() {
    long stamp = dataset.clock().next();
    dataset.marks().reach(stamp, ClockTable.MARK_AHEAD_MICROS);
    return stamp;
  }

  private static Bytes row(String service, String serviceKey, String key) {
    requireName(service, serviceKey, key);
    return ServiceTable.row(service, serviceKey, key);
  }

  /**
   * Checks a name.
   *
   * @throws IllegalArgumentException if it is too long or has a NUL
   */
  static void requireName(String service, String serviceKey, String key) {
    Bytes row = ServiceTable.row(service, serviceKey, key);
    if (row.length() > NAME_MAX) {
      throw new IllegalArgumentException(
          "a name of %,d bytes is longer than %,d".formatted(row.length(), NAME_MAX));
    }
    if ((service + serviceKey + key).indexOf('\0') >= 0) {
      throw new IllegalArgumentException("a name contains the character NUL");
    }
  }

  /**
   * Checks a text.
   *
   * @throws IllegalArgumentException if it is too long
   */
  static void requireLength(String text) {
    int length = Bytes.utf8(text).length();
    if (length > TEXT_MAX) {
      throw new IllegalArgumentException(
          "a text of %,d bytes is longer than %,d".formatted(length, TEXT_MAX));
    }
  }

  private static void written(Runnable write) {
    try {
      write.run();
    } catch (StoreException e) {
      throw new WriteFailedException(
          "the text of a service cannot be written: " + e.getMessage(), e.unknown());
    }
  }
}
