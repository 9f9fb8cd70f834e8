package dev.varve.server.ingest;

import dev.varve.layout.Refusal;
import dev.varve.model.GroupKey;
import dev.varve.model.HeapShares;
import dev.varve.model.Series;
import dev.varve.model.Tags;
import dev.varve.server.relabel.Relabelling;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Relabels or drops incoming series of every protocol, then checks the limits of their labels.
 * Thread-safe.
 */
public final class Door {
  /** A door without rules, with the default limits. */
  public static final Door OPEN = new Door(Relabelling.NONE, LabelLimits.DEFAULTS);

  /**
   * Number of series in each of the two generations that remember what the rules made of a series.
   */
  private static final int REMEMBERED = 32_768;

  /** Memory of each generation, in bytes. */
  private static final long REMEMBERED_BYTES = HeapShares.OF_THIS_PROCESS.smallCache() / 2;

  /** Memory of a remembered series in addition to its two keys, in bytes. */
  private static final int OVERHEAD_BYTES = 150;

  private final Relabelling rules;
  private final LabelLimits limits;

  /** The recent generation of entries, and the older one that is dropped next. */
  private volatile Map<GroupKey, Entry> recent = new ConcurrentHashMap<>();

  private volatile Map<GroupKey, Entry> older = Map.of();

  /** Memory of the recent generation, in bytes. */
  private final AtomicLong recentBytes = new AtomicLong();

  public Door(Relabelling rules, LabelLimits limits) {
    this.rules = rules;
    this.limits = limits;
  }

  public Relabelling rules() {
    return rules;
  }

  public LabelLimits limits() {
    return limits;
  }

  /**
   * The result for a key. Both are null if the rules drop it.
   *
   * @param key the key under which its samples are stored
   * @param refusal why they are refused
   */
  public record Entry(@Nullable GroupKey key, @Nullable Refusal refusal) {
    private static final Entry DROPPED = new Entry(null, null);
  }

  /** Returns the result for a key. */
  public Entry enter(GroupKey key) {
    if (rules.isEmpty()) {
      return limited(key);
    }
    Entry known = recent.get(key);
    if (known != null) {
      return known;
    }
    Entry before = older.get(key);
    Entry entry = before == null ? relabelled(key) : before;
    remember(key, entry);
    return entry;
  }

  private void remember(GroupKey key, Entry entry) {
    if (recent.size() >= REMEMBERED || recentBytes.get() >= REMEMBERED_BYTES) {
      older = recent;
      recent = new ConcurrentHashMap<>();
      recentBytes.set(0);
    }
    if (recent.put(key, entry) == null) {
      GroupKey kept = entry.key();
      recentBytes.addAndGet(
          OVERHEAD_BYTES + key.byteCount() + (kept == null ? 0 : kept.byteCount()));
    }
  }

  private Entry limited(GroupKey key) {
    Refusal refusal = limits.refusal(key);
    return refusal == null ? new Entry(key, null) : new Entry(null, refusal);
  }

  /**
   * Applies the rules. Resource identifiers are labels for the rules and remain resource
   * identifiers.
   */
  private Entry relabelled(GroupKey key) {
    Map<String, String> labels = new TreeMap<>(key.resource().toMap());
    labels.putAll(key.tags().toMap());
    labels.put(Series.NAME_LABEL, key.metric());
    SortedMap<String, String> after = rules.apply(labels);
    if (after == null) {
      return Entry.DROPPED;
    }
    String metric = after.remove(Series.NAME_LABEL);
    if (metric == null) {
      return new Entry(
          null, new Refusal("relabel.name", "the rules of write.relabel left it without a name"));
    }
    Map<String, String> resource = new TreeMap<>();
    for (String name : key.resource().names()) {
      // If a tag has the same name, the rules have seen the tag.
      String value = key.tags().has(name) ? key.resource().get(name) : after.remove(name);
      if (value != null) {
        resource.put(name, value);
      }
    }
    return limited(new GroupKey(metric, Tags.of(after), Tags.of(resource)));
  }
}
