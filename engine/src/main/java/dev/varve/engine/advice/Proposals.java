package dev.varve.engine.advice;

import dev.varve.engine.advice.Advice.Command;
import dev.varve.engine.advice.Advice.Proposal;
import dev.varve.engine.advice.Advice.ProposedLayout;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.layout.block.BlockLayout;
import dev.varve.layout.declared.Declaration;
import dev.varve.layout.declared.DeclarationText;
import dev.varve.layout.declared.KeyElement;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Turns chosen layouts into declarations and the steps that put them to use. */
final class Proposals {
  private final OpenDataset dataset;
  private final Workload workload;
  private final Search search;
  private final LayoutNames names;

  Proposals(OpenDataset dataset, Workload workload, Search search, LayoutNames names) {
    this.dataset = dataset;
    this.workload = workload;
    this.search = search;
    this.names = names;
  }

  Proposal of(List<Option> layouts) {
    if (layouts.getFirst().isBlocks()) {
      return new Proposal(
          List.of(new ProposedLayout(BlockLayout.NAME, "day, metric, series", null)),
          Option.mean(workload, layouts),
          Advisor.together(layouts),
          intoBlocks());
    }
    List<ProposedLayout> proposed = new ArrayList<>();
    for (int i = 0; i < layouts.size(); i++) {
      Declaration declaration =
          search.declaration(layouts.get(i), i == 0 ? names.first() : names.second());
      proposed.add(
          new ProposedLayout(
              declaration.name(),
              declaration.key().stream().map(KeyElement::text).collect(Collectors.joining(", ")),
              DeclarationText.yaml(declaration)));
    }
    return new Proposal(
        proposed, Option.mean(workload, layouts), Advisor.together(layouts), commands(proposed));
  }

  /** Returns the command that converts the cells of earlier periods into blocks. */
  static String conversion(OpenDataset dataset) {
    return "varve compact --into blocks --dataset " + dataset.name();
  }

  private List<Command> intoBlocks() {
    List<Command> commands = new ArrayList<>();
    if (!dataset.periods().all().getLast().isInBlocks()) {
      commands.add(period(BlockLayout.NAME, "blocks"));
    }
    commands.add(
        new Command(
            "Once the period in blocks has begun, convert the samples so far beside readers and writers; until that ends, cells and blocks take space together:",
            conversion(dataset)));
    return commands;
  }

  /** Returns the step that declares a period. */
  private Command period(String layout, String where) {
    return new Command(
        "Add the period to the configuration and restart the server. Samples from then on are stored in %s; queries read across the border:"
            .formatted(where),
        """
        datasets:
          %s:
            periods:
              - {from: %s, layout: %s}
        """
            .formatted(dataset.name(), nextDay(), layout));
  }

  private List<Command> commands(List<ProposedLayout> layouts) {
    List<Command> commands = new ArrayList<>();
    for (ProposedLayout layout : layouts) {
      commands.add(
          new Command(
              "Save this as %s.yaml beside the configuration:".formatted(layout.name()),
              String.valueOf(layout.yaml())));
    }
    String first = layouts.getFirst().name() + ".yaml";
    String companions =
        layouts.stream()
            .skip(1)
            .map(one -> one.name() + ".yaml")
            .collect(Collectors.joining(", ", ", companions: [", "]"));
    String more = layouts.size() > 1 ? companions : "";
    String name = dataset.name();
    if (dataset.config().attached() == null) {
      commands.add(period(first + more, "the new layout"));
    }
    commands.add(
        new Command(
            "To have the samples so far in the new layout, too, declare a dataset with it and copy them; docs/operations/migrate.md says how to switch over:",
            """
            datasets:
              %s-2:
                layout: %s
            %s
            varve migrate --source-dataset %s --dataset %s-2
            """
                .formatted(
                    name,
                    first,
                    layouts.size() > 1 ? "    " + more.substring(2) + "\n" : "",
                    name,
                    name)
                .replace("\n\n\n", "\n\n")));
    return commands;
  }

  /** Returns the start of a day that is at least an hour away. */
  private Instant nextDay() {
    Instant now = Instant.ofEpochMilli(dataset.clock().systemMicros() / 1000);
    return now.plus(1, ChronoUnit.HOURS).truncatedTo(ChronoUnit.DAYS).plus(1, ChronoUnit.DAYS);
  }
}
