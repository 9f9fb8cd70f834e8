package dev.varve.query;

import dev.varve.engine.request.ReadRequest;
import dev.varve.model.Recurring;
import dev.varve.model.Resolution;
import dev.varve.model.Selector;
import dev.varve.model.TagFilter;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A read of a request as its language names it, before the layouts plan it. Equal reads of one
 * request are one.
 *
 * @param selector the series
 * @param from the first time, in ms since 1970
 * @param to the last time, in ms since 1970; less than {@code from} if nothing is read
 * @param labels the labels needed of each series, in words
 * @param recurring the times that are needed, in ms; null for all
 * @param request the request to the engine; null if it reads no samples
 * @param actual measured figures; null if the request was not run
 */
public record ReadOutline(
    String selector,
    long from,
    long to,
    String labels,
    @Nullable Recurring recurring,
    @Nullable ReadRequest request,
    PlanExplanation.@Nullable Actual actual) {

  /** Returns the outline of a request for all samples of its times. */
  public static ReadOutline of(
      ReadRequest request,
      Resolution resolution,
      String labels,
      PlanExplanation.@Nullable Actual actual) {
    return new ReadOutline(
        text(request.selector()),
        millis(request.times().from(), resolution),
        millis(request.times().to() - 1, resolution),
        labels,
        null,
        request.times().isEmpty() ? null : request,
        actual);
  }

  private static long millis(long time, Resolution resolution) {
    try {
      return resolution.convert(time, Resolution.MILLISECONDS);
    } catch (ArithmeticException e) {
      return time < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
    }
  }

  /** Returns a selector in words. */
  public static String text(Selector selector) {
    return selector.filters().stream()
        .map(ReadOutline::text)
        .collect(Collectors.joining(", ", "{", "}"));
  }

  private static String text(TagFilter filter) {
    return switch (filter) {
      case TagFilter.Equal equal -> "%s=\"%s\"".formatted(equal.name(), equal.value());
      case TagFilter.NotEqual not -> "%s!=\"%s\"".formatted(not.name(), not.value());
      case TagFilter.In in -> in.name() + " in " + new TreeSet<>(in.values());
      case TagFilter.Prefix prefix ->
          "%s starts with \"%s\"".formatted(prefix.name(), prefix.prefix());
      case TagFilter.Regex regex -> "%s=~\"%s\"".formatted(regex.name(), regex.pattern());
      case TagFilter.NotRegex not -> "%s!~\"%s\"".formatted(not.name(), not.pattern());
      case TagFilter.Has has -> "has " + has.name();
    };
  }
}
