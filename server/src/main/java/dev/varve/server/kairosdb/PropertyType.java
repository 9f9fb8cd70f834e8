package dev.varve.server.kairosdb;

import dev.varve.query.QueryPlan.Drop.Comparison;
import dev.varve.server.http.HttpError;
import dev.varve.server.kairosdb.Properties.Length;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The types of properties of aggregators and groupings. */
enum PropertyType {
  /** A {@link Long}. */
  WHOLE {
    @Override
    @Nullable Object read(@Nullable Object json, Properties owner, String property) {
      return FieldValue.whole(json);
    }
  },
  /** An {@link Integer}. */
  SMALL {
    @Override
    @Nullable Object read(@Nullable Object json, Properties owner, String property) {
      return FieldValue.small(json);
    }
  },
  /** A {@link Double}. */
  REAL {
    @Override
    @Nullable Object read(@Nullable Object json, Properties owner, String property) {
      return FieldValue.real(json);
    }
  },
  /** A {@link Boolean}. */
  TRUTH {
    @Override
    @Nullable Object read(@Nullable Object json, Properties owner, String property) {
      return FieldValue.truth(json);
    }
  },
  /** A {@link ZoneId}. */
  ZONE {
    @Override
    @Nullable Object read(@Nullable Object json, Properties owner, String property) {
      return zone(json, owner);
    }
  },
  /** A {@link TimeUnit}. */
  UNIT {
    @Override
    @Nullable Object read(@Nullable Object json, Properties owner, String property) {
      return unit(json, owner);
    }
  },
  /** A {@link Length}. */
  LENGTH {
    @Override
    @Nullable Object read(@Nullable Object json, Properties owner, String property) {
      if (json == null) {
        return null;
      }
      return length(json, owner, owner.context() + "." + property);
    }
  },
  /** A {@link Trim}. */
  TRIM {
    @Override
    @Nullable Object read(@Nullable Object json, Properties owner, String property) {
      return oneOf(Trim.values(), json, owner);
    }
  },
  /** A {@link Comparison}. */
  COMPARISON {
    @Override
    @Nullable Object read(@Nullable Object json, Properties owner, String property) {
      return oneOf(Comparison.values(), json, owner);
    }
  },
  /** A {@link Double}, a {@link String}, or any other value unchanged. */
  ANY {
    @Override
    @Nullable Object read(@Nullable Object json, Properties owner, String property) {
      return json instanceof JsonTree.Numeral ? FieldValue.real(json) : json;
    }
  },
  /** {@code value}, {@code pos_sd} or {@code neg_sd}. */
  DEVIATION {
    @Override
    @Nullable Object read(@Nullable Object json, Properties owner, String property) {
      return known(Set.of("value", "pos_sd", "neg_sd"), FieldValue.constant(json));
    }
  },
  /** {@code ascending} or {@code descending}. */
  ORDER {
    @Override
    @Nullable Object read(@Nullable Object json, Properties owner, String property) {
      return known(Set.of("ascending", "descending"), FieldValue.constant(json));
    }
  },
  /** A list of {@link Threshold}. */
  THRESHOLDS {
    @Override
    @Nullable Object read(@Nullable Object json, Properties owner, String property) {
      return json == null ? null : thresholds(FieldValue.values(json));
    }
  },
  /** A list of {@link Double}. */
  REALS {
    @Override
    @Nullable Object read(@Nullable Object json, Properties owner, String property) {
      if (json == null) {
        return null;
      }
      List<Double> reals = new ArrayList<>();
      for (Object one : FieldValue.values(json)) {
        Double real = FieldValue.real(one);
        if (real == null) {
          throw new HttpError(500, "null is no number of " + property);
        }
        reals.add(real);
      }
      return reals;
    }
  },
  /** A list of {@link String}. */
  TEXTS {
    @Override
    @Nullable Object read(@Nullable Object json, Properties owner, String property) {
      if (json == null) {
        return null;
      }
      List<String> texts = new ArrayList<>();
      for (Object one : FieldValue.values(json)) {
        if (!(one instanceof String text)) {
          throw new HttpError(500, JsonTree.text(one) + " is no text of " + property);
        }
        texts.add(text);
      }
      return texts;
    }
  },
  /** A {@link String}; numbers and booleans become text. */
  TEXT {
    @Override
    @Nullable Object read(@Nullable Object json, Properties owner, String property) {
      return json instanceof Boolean truth ? truth.toString() : FieldValue.constant(json);
    }
  },
  /** A map of {@link String} to {@link String}, or to a {@link List} or {@link Map} as given. */
  TAGS {
    @Override
    @Nullable Object read(@Nullable Object json, Properties owner, String property) {
      return json == null ? null : tags(json, owner, property);
    }
  };

  /** Offsets that KairosDB accepts. */
  private static final Pattern OFFSET = Pattern.compile("[+-]\\d{2}(:?\\d{2}(:?\\d{2})?)?");

  /**
   * Reads a value.
   *
   * @param owner the properties that contain it
   * @return null where KairosDB finds no value
   * @throws NumberFormatException if a string should be a number but is not
   * @throws HttpError if the value has another type
   */
  abstract @Nullable Object read(@Nullable Object json, Properties owner, String property);

  /** The end of a series to trim. */
  enum Trim {
    FIRST,
    LAST,
    BOTH
  }

  /**
   * A threshold of the score aggregator.
   *
   * @param inferior whether a value equal to the threshold has reached it
   */
  record Threshold(double value, boolean inferior) {}

  private static Map<String, Object> tags(Object json, Properties owner, String property) {
    Map<String, Object> tags = new LinkedHashMap<>();
    // KairosDB's JSON library also reads an empty array as a map.
    if (json instanceof List<?> list && list.isEmpty()) {
      return tags;
    }
    FieldValue.fields(json)
        .forEach((name, value) -> {
          if (value == null) {
            throw new HttpError(500, "the value of tag '" + name + "' is null");
          }
          boolean text = !(value instanceof List<?> || value instanceof Map<?, ?>);
          tags.put(name, text ? Objects.requireNonNull(TEXT.read(value, owner, property)) : value);
        });
    return tags;
  }

  private static @Nullable String known(Set<String> constants, @Nullable String text) {
    return text != null && constants.contains(text) ? text : null;
  }

  private static <T extends Enum<T>> @Nullable T oneOf(
      T[] constants, @Nullable Object json, Properties owner) {
    if (json == null) {
      return null;
    }
    String text = FieldValue.text(json, 400);
    StringBuilder names = new StringBuilder();
    for (int i = 0; i < constants.length; i++) {
      if (constants[i].name().equalsIgnoreCase(text)) {
        return constants[i];
      }
      names.append(i == 0 ? "" : i == constants.length - 1 ? " or " : ", ");
      names.append('\'').append(constants[i].name().toLowerCase(Locale.ROOT)).append('\'');
    }
    throw owner.wrong(text, "is not a valid trim type, must be " + names + ".");
  }

  private static List<Threshold> thresholds(List<@Nullable Object> given) {
    List<Threshold> thresholds = new ArrayList<>();
    for (Object one : given) {
      if (one == null) {
        throw new HttpError(500, "a threshold of a score may not be null");
      }
      double value = 0;
      boolean inferior = false;
      for (Map.Entry<String, @Nullable Object> field : FieldValue.fields(one).entrySet()) {
        switch (field.getKey()) {
          case "value" -> {
            Double real = FieldValue.real(field.getValue());
            value = real == null ? 0 : real;
          }
          case "boundary" -> {
            String boundary = FieldValue.constant(field.getValue());
            inferior = boundary != null && boundary.equalsIgnoreCase("inferior");
          }
          default -> {}
        }
      }
      thresholds.add(new Threshold(value, inferior));
    }
    return thresholds;
  }

  static @Nullable TimeUnit unit(@Nullable Object json, Properties owner) {
    if (json == null) {
      return null;
    }
    String text = FieldValue.text(json, 400);
    TimeUnit unit = TimeUnit.find(text);
    if (unit == null) {
      throw owner.wrong(text, "is not a valid time unit, must be one of " + TimeUnit.NAMES);
    }
    return unit;
  }

  /**
   * Reads a count and a unit.
   *
   * @param owner whose path is reported for an unknown unit
   * @param place path that is reported for other errors
   */
  static Length length(@Nullable Object json, Properties owner, String place) {
    long count = 0;
    TimeUnit unit = null;
    for (Map.Entry<String, @Nullable Object> field : FieldValue.fields(json).entrySet()) {
      switch (field.getKey()) {
        case "value" -> {
          Long whole = FieldValue.whole(field.getValue());
          count = whole == null ? 0 : whole;
        }
        case "unit" -> unit = unit(field.getValue(), owner);
        default -> {}
      }
    }
    if (count < 0) {
      throw HttpError.badRequest(place + ".value must be greater than or equal to 0");
    }
    if (unit == null) {
      throw HttpError.badRequest(place + ".unit may not be null");
    }
    return new Length(count, unit);
  }

  /** Reads a time zone by its name; an empty name is UTC. */
  static @Nullable ZoneId zone(@Nullable Object json, Properties owner) {
    if (json == null) {
      return null;
    }
    String name = FieldValue.text(json, 400);
    if (name.isEmpty()) {
      return ZoneOffset.UTC;
    }
    if (OFFSET.matcher(name).matches() || ZoneId.getAvailableZoneIds().contains(name)) {
      try {
        return ZoneId.of(name);
      } catch (DateTimeException e) {
        // An offset of more than 18 hours: reported below.
      }
    }
    throw owner.wrong(
        name,
        "is not a valid time zone, must be one of " + new TreeSet<>(ZoneId.getAvailableZoneIds()));
  }
}
