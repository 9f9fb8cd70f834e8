package dev.varve.server.opentsdb;

import dev.varve.engine.Dataset;
import dev.varve.model.Series;

/** The points of {@code /api/put}. */
record PlainPoints(Dataset dataset) implements PointForm {
  private static final long LAST_MILLISECOND = 9_999_999_999_999L;

  @Override
  public Kind kind() {
    return Kind.PUT;
  }

  @Override
  public Placed place(DataPoint point) {
    PointForm.requireMembers(point);
    PointValue value = PointForm.number(point);
    long time = point.timestamp();
    if (time > LAST_MILLISECOND) {
      throw new BadPointException(
          point,
          "bad timestamp=%d when trying to add value=%s to metric=%s, tags=%s"
              .formatted(time, point.value(), point.metric(), point.tags()));
    }
    return new Placed(
        dataset,
        point,
        PointForm.key(point),
        Series.DEFAULT_FIELD,
        time > LAST_SECOND ? time : 1000 * time,
        value);
  }
}
