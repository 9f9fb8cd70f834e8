package dev.varve.engine.advice;

import dev.varve.engine.advice.Advice.Command;
import dev.varve.engine.advice.Advice.Proposal;
import dev.varve.engine.advice.Advice.ProposedLayout;
import dev.varve.engine.periods.OpenDataset;
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
      commands.add(
          new Command(
              "Add the period to the configuration and restart the server. Samples from then on are stored in the new layout; queries read across the border:",
              """
              datasets:
                %s:
                  periods:
                    - {from: %s, layout: %s%s}
              """
                  .formatted(name, nextDay(), first, more)));
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
