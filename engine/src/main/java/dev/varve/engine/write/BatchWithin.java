package dev.varve.engine.write;

import dev.varve.engine.catalog.SeriesBounds;
import dev.varve.engine.request.WriteResult;
import dev.varve.layout.Refusal;
import dev.varve.model.Attribute;
import dev.varve.model.Batch;
import dev.varve.model.Column;
import dev.varve.model.SampleGroup;
import java.util.ArrayList;
import java.util.List;

/** The part of a batch that a bound user may write, and the refusals of the rest. */
public final class BatchWithin {
  /** The rule that refuses a sample of a series that its sender may not use. */
  public static final String RULE = "rights.labels";

  private final SeriesBounds bounds;
  private final Refusal refusal;
  private final RefusedSamples outside = new RefusedSamples();
  private final Batch inside;
  private final int given;

  /** Divides a batch. */
  public BatchWithin(Batch batch, SeriesBounds bounds) {
    this.bounds = bounds;
    this.refusal =
        new Refusal(
            RULE, "the series lies outside of those that the user may use: " + bounds.text());
    this.given = batch.sampleCount() + batch.attributes().size();
    List<SampleGroup> groups = new ArrayList<>(batch.groups().size());
    for (SampleGroup group : batch.groups()) {
      SampleGroup kept = within(group);
      if (!kept.columns().isEmpty()) {
        groups.add(kept);
      }
    }
    List<Attribute> attributes = new ArrayList<>(batch.attributes().size());
    for (Attribute attribute : batch.attributes()) {
      if (bounds.contains(attribute.key())) {
        attributes.add(attribute);
      } else {
        outside.refuse(1, attribute.key(), attribute.name(), attribute.time(), refusal);
      }
    }
    this.inside = new Batch(groups, attributes);
  }

  private SampleGroup within(SampleGroup group) {
    List<Column> kept = new ArrayList<>(group.columns().size());
    for (Column column : group.columns()) {
      if (bounds.contains(group.key(), column.field())) {
        kept.add(column);
      } else {
        SampleGroup alone =
            new SampleGroup(group.key(), group.size(), group.times(), List.of(column));
        outside.refuse(alone.sampleCount(), group.key(), column.field(), null, refusal);
      }
    }
    return kept.size() == group.columns().size()
        ? group
        : new SampleGroup(group.key(), group.size(), group.times(), kept);
  }

  /** Returns the part that may be written. */
  public Batch inside() {
    return inside;
  }

  /** Returns whether nothing may be written. */
  public boolean isEmpty() {
    return inside.groups().isEmpty() && inside.attributes().isEmpty();
  }

  /** Returns the first refusal with its series; the batch has a part that is outside. */
  public String firstRefusal() {
    WriteResult.Rejection first = outside.result(given).rejections().getFirst();
    return first.key() + ": " + first.refusal().message();
  }

  /** Returns whether everything may be written. */
  public boolean isWhole() {
    return outside.refused() == 0;
  }

  /** Returns the result of the whole batch. */
  public WriteResult with(WriteResult ofInside) {
    RefusedSamples all = new RefusedSamples();
    all.add(outside.result(given));
    all.add(ofInside);
    return all.result(ofInside.accepted() + all.refused());
  }

  /** Returns the result of a batch of which nothing may be written. */
  public WriteResult ofNothing() {
    return with(new WriteResult(0, 0, List.of()));
  }
}
