package dev.varve.server.opentsdb.annotation;

import dev.varve.engine.Dataset;
import dev.varve.engine.NoteTable;
import dev.varve.model.Attribute;
import dev.varve.model.Value;
import dev.varve.query.running.QueryUse;
import dev.varve.server.opentsdb.query.Group;
import dev.varve.server.opentsdb.query.GroupNotes;
import dev.varve.server.opentsdb.query.ScanRange;
import dev.varve.server.opentsdb.query.TsQuery;
import dev.varve.server.opentsdb.query.UidNames;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/**
 * The annotations of the results of a query. As in OpenTSDB, a result has a list if its series have
 * annotations in the hours that the query reads, and the list has those of the requested times.
 */
public final class QueryNotes implements GroupNotes {
  private final AnnotationStore store;
  private final TsQuery.Checked query;
  private final UidNames uids;

  /** The TSUIDs under which annotations are kept; other ones than those shown to bound users. */
  private final UidNames kept;

  private final QueryUse use;
  private final List<Annotation> globals;
  private @Nullable Map<String, SortedMap<Long, Annotation>> passed;

  private QueryNotes(
      AnnotationStore store,
      TsQuery.Checked query,
      UidNames uids,
      UidNames kept,
      QueryUse use,
      List<Annotation> globals) {
    this.store = store;
    this.query = query;
    this.uids = uids;
    this.kept = kept;
    this.use = use;
    this.globals = globals;
  }

  /**
   * Returns the annotations that a query asks for. Users of some series get those of the series,
   * and none of all series.
   *
   * @param dataset as the user may use it
   * @param whole the same dataset with all its series
   */
  public static GroupNotes of(
      Dataset dataset, Dataset whole, TsQuery.Checked query, UidNames uids, QueryUse use) {
    TsQuery.Options options = query.query().options();
    AnnotationStore store = Annotations.store(whole);
    if (options.noAnnotations() || store.isEmpty()) {
      return GroupNotes.NONE;
    }
    List<Annotation> globals =
        options.globalAnnotations() && !dataset.isBound()
            ? GlobalNotes.of(store, query.start() / 1000, query.end() / 1000, use)
            : List.of();
    UidNames kept = dataset.isBound() ? new UidNames(whole, use) : uids;
    return new QueryNotes(store, query, uids, kept, use, globals);
  }

  /**
   * Lets the reads of a query find the annotations of its series, where they are beside the points.
   * Must be called before them.
   */
  public static void prepare(Dataset dataset, TsQuery.Checked query, QueryUse use) {
    NoteTable notes = dataset.originals().notes();
    if (notes != null && !query.query().options().noAnnotations()) {
      use.collect(notes.attribute());
    }
  }

  @Override
  public void write(Group group, JsonGenerator json) {
    List<Annotation> own = group.ofPoints() ? own(group) : List.of();
    if (!own.isEmpty()) {
      json.writeName("annotations");
      Annotations.write(within(own), json);
    }
    if (!globals.isEmpty()) {
      json.writeName("globalAnnotations");
      Annotations.write(within(globals), json);
    }
  }

  private List<Annotation> within(List<Annotation> some) {
    return some.stream()
        .sorted(Comparator.comparingLong(Annotation::startTime))
        .filter(one -> one.startMillis() >= query.start() && one.startMillis() <= query.end())
        .toList();
  }

  /** Returns the annotations that the reads have found, by TSUID and time. */
  private Map<String, SortedMap<Long, Annotation>> passed() {
    if (passed == null) {
      Map<String, SortedMap<Long, Annotation>> all = new HashMap<>();
      for (Attribute attribute : use.collected()) {
        if (attribute.value() instanceof Value.Text(String json)) {
          Annotation note = TableAnnotations.read(json);
          all.computeIfAbsent(Tsuids.normal(note.tsuid()), none -> new TreeMap<>())
              .put(note.startMillis(), note);
        }
      }
      passed = all;
    }
    return passed;
  }

  private List<Annotation> own(Group group) {
    ScanRange range =
        ScanRange.of(query.start(), query.end(), query.parts().get(group.part()).downsampling());
    List<Annotation> own = new ArrayList<>();
    if (kept != uids) {
      group
          .series()
          .forEach(tags -> {
            String shown = uids.tsuid(group.metric(), tags);
            store
                .between(kept.tsuid(group.metric(), tags), range.from(), range.to() - 1, use)
                .stream()
                .map(one -> one.of(shown))
                .forEach(own::add);
          });
      own.sort(Comparator.comparingLong(Annotation::startTime).thenComparing(Annotation::tsuid));
      return own;
    }
    for (String tsuid : group.tsuids(uids)) {
      if (store.attribute() == null) {
        own.addAll(store.between(tsuid, range.from(), range.to() - 1, use));
      } else {
        passed().getOrDefault(tsuid, new TreeMap<>()).values().stream()
            .filter(one -> one.startMillis() >= range.from() && one.startMillis() < range.to())
            .forEach(own::add);
      }
    }
    own.sort(Comparator.comparingLong(Annotation::startTime));
    return own;
  }
}
