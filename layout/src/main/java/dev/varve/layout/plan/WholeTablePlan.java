package dev.varve.layout.plan;

import dev.varve.layout.Binding;
import dev.varve.layout.Directory;
import dev.varve.layout.KeyPart;
import dev.varve.layout.Layout;
import dev.varve.layout.Step;
import dev.varve.model.GroupKey;
import dev.varve.model.Tags;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** The plan of a request that knows no series: every row of the table in scope. */
final class WholeTablePlan {
  /** Stands where a key is asked for by parts that do not depend on one. */
  private static final Binding NO_BINDING = new Binding.Plain(GroupKey.of("", Tags.EMPTY));

  private WholeTablePlan() {}

  static Step<Plan> of(Layout layout, PlanRequest request) {
    if (!request.wholeTable()) {
      throw new WholeTableScanException(
          "without knowing the series, the query takes a scan of the whole table, which it must ask for");
    }
    Survey survey = new Survey(layout, request, List.of(NO_BINDING));
    if (survey.times.isEmpty() && layout.rows().timePart() >= 0) {
      return Step.done(Planner.nothing("no sample can lie in the time range"));
    }
    return layout.directory().isPresent()
        ? ofDirectory(layout.directory().get(), survey)
        : Step.done(scan(survey));
  }

  private static Step<Plan> ofDirectory(Directory directory, Survey survey) {
    return directory.metrics().then(metrics -> DirectoryPlan.ofAll(directory, survey, metrics));
  }

  /**
   * Pins what leads the key and depends on no series, so that salts are read one by one and times
   * are a range where they can be.
   */
  private static Plan scan(Survey survey) {
    List<KeyPart> parts = survey.shape.parts();
    int pinned = 0;
    while (pinned < parts.size() && dependsOnNoSeries(survey, pinned)) {
      pinned++;
    }
    boolean named = pinned >= survey.shape.partitionParts();
    String disorder = Way.disorder(survey.shape, named ? pinned : 0);
    if (disorder != null) {
      throw new PlanRefusedException("the table cannot be scanned in order: " + disorder);
    }
    SliceWriter writer = new SliceWriter(survey, named ? pinned : 0);
    List<Plan.StrandGroup> groups =
        writer.groups().stream()
            .map(group ->
                new Plan.StrandGroup(
                    List.of(), group.strands().stream().map(WholeTablePlan::unfiltered).toList()))
            .toList();
    List<String> notes = new ArrayList<>();
    notes.add("this query scans the whole table");
    if (!named) {
      notes.add(
          "the scan runs across partitions, which nobody can name without knowing the series: the store must keep its rows in order");
    }
    OptionalLong unknown = OptionalLong.empty();
    return new Plan(
        groups,
        new Plan.Estimate(
            writer.partitionCount(), writer.sliceCount(), unknown, unknown, unknown, unknown),
        List.of(
            new Plan.Alternative(
                Way.name(survey.shape, named ? pinned : 0),
                Weights.cost(
                    (double) writer.sliceCount(), Weights.METRICS * Weights.SERIES_OF_METRIC, 0),
                "no series is known")),
        notes);
  }

  private static boolean dependsOnNoSeries(Survey survey, int part) {
    return switch (survey.shape.parts().get(part).role()) {
      case LITERAL, KIND -> true;
      case FIELD -> survey.fields != null;
      case SALT ->
          Pinning.fansOut(survey.shape, part + 1, (KeyPart.Salt) survey.shape.parts().get(part));
      case METRIC, TAGS, RESOURCE, TIME, SEQUENCE -> false;
    };
  }

  private static Plan.Strand unfiltered(Plan.Strand strand) {
    return new Plan.Strand(strand.table(), strand.read(), false, strand.trimmed());
  }
}
