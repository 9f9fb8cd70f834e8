package dev.varve.layout.contract;

import dev.varve.layout.Domain;
import dev.varve.layout.KeyPart;
import dev.varve.layout.Layout;
import dev.varve.model.GroupKey;
import dev.varve.model.Kind;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Random points in a domain, with a bias towards its bounds. */
public final class DomainPoints {
  private static final List<String> WORDS =
      List.of("m", "system", "cpu.idle", "a-b_c/d", "1", "Zz", "éÿ");

  /**
   * Separators, escapes, and texts of different orders in UTF-8 and UTF-16, up to four bytes long.
   */
  private static final List<String> TEXTS =
      List.of(
          "m",
          "system",
          "a:b=c,d",
          "=",
          "::",
          "x\ny\t",
          "温度",
          "\ue000",
          "\ud83d\ude00",
          "%2F",
          "é",
          "a",
          "ab",
          "\u007f",
          "#",
          "m\u0001",
          "\uffff",
          "a b",
          "\"",
          "\\",
          "{x}");

  private static final List<String> TEXTS_OF_UTF8 =
      List.of("", "\u0000", "a\u0000b", "\u0000\u0000", "m\u0000");

  private static final double[] NUMBERS = {
    0.0,
    -0.0,
    1.0,
    -1.5,
    Double.MIN_VALUE,
    -Double.MIN_NORMAL,
    Double.MAX_VALUE,
    9007199254740992.0,
    0.1,
    42.0
  };

  private static final long[] INTEGERS = {
    0,
    1,
    -1,
    127,
    128,
    -128,
    -129,
    255,
    32767,
    32768,
    -32769,
    1L << 31,
    -(1L << 31) - 1,
    1L << 53,
    Long.MAX_VALUE,
    Long.MIN_VALUE
  };

  private static final int MORE_TAGS = 3;

  private final Layout layout;
  private final Domain domain;

  public DomainPoints(Layout layout) {
    this.layout = layout;
    this.domain = layout.domain();
  }

  public GroupKey key(Random random) {
    return new GroupKey(
        oneOfFew(random), tags(random), domain.resource() ? resource(random) : Tags.EMPTY);
  }

  private Tags tags(Random random) {
    Map<String, String> tags = new TreeMap<>();
    Set<String> names = domain.tagNames();
    if (names != null) {
      names.forEach(name -> tags.put(name, oneOfFew(random)));
      return Tags.of(tags);
    }
    int most = Math.min(domain.tagsMax(), domain.tagsMin() + MORE_TAGS);
    int count = random.nextInt(domain.tagsMin(), most + 1);
    while (tags.size() < count) {
      tags.put(text(random), oneOfFew(random));
    }
    return Tags.of(tags);
  }

  private Tags resource(Random random) {
    Map<String, String> resource = new TreeMap<>();
    for (int i = random.nextInt(3); i > 0; i--) {
      resource.put(text(random), oneOfFew(random));
    }
    return Tags.of(resource);
  }

  /** Returns mostly one of three texts, so that keys share prefixes. */
  private String oneOfFew(Random random) {
    return random.nextInt(4) == 0 ? text(random) : texts().get(random.nextInt(3));
  }

  /** Returns any text of the alphabet. */
  public String text(Random random) {
    List<String> texts = texts();
    if (domain.alphabet() == Domain.Alphabet.UTF8 && random.nextInt(4) == 0) {
      texts = TEXTS_OF_UTF8;
    }
    return texts.get(random.nextInt(texts.size()));
  }

  private List<String> texts() {
    return domain.alphabet() == Domain.Alphabet.LATIN1_WORD ? WORDS : TEXTS;
  }

  /** Returns a time near 1970 or today, the first or last time of the domain, or any other. */
  public long time(Random random) {
    TimeRange times = domain.times();
    long today = 1_790_000_000L * layout.resolution().perSecond();
    long time =
        switch (random.nextInt(6)) {
          case 0 -> times.from();
          case 1 -> times.to() - 1;
          case 2 -> random.nextLong(-1000, 1000);
          case 3 -> random.nextLong(times.from(), times.to());
          default -> today + random.nextLong(1_000_000L);
        };
    return inside(time, times);
  }

  /** Returns a time within a few rows of another, often at the start or end of a row. */
  long near(long center, Random random) {
    long width = rowWidth(center);
    long time =
        switch (random.nextInt(4)) {
          case 0 -> floor(plus(center, width * random.nextInt(3)));
          case 1 -> plus(floor(plus(center, width * random.nextInt(3))), -1);
          case 2 -> plus(center, random.nextLong(-5, 6));
          default -> plus(center, random.nextLong(-width, 2 * width));
        };
    return inside(time, domain.times());
  }

  /** Returns the range around a time that contains all results of {@link #near}. */
  TimeRange around(long center) {
    long width = rowWidth(center);
    return TimeRange.closed(plus(floor(center), -3 * width), plus(center, 3 * width))
        .intersect(domain.times());
  }

  private long floor(long time) {
    KeyPart.Time part = rowTime();
    return part == null ? time : part.floor(inside(time, domain.times()));
  }

  private long rowWidth(long center) {
    KeyPart.Time part = rowTime();
    if (part == null || part.instant()) {
      return 1000;
    }
    long start = part.floor(center);
    long next = part.next(start);
    boolean known = next != Long.MAX_VALUE && next > start && next - start < 1L << 50;
    return known ? next - start : 1000;
  }

  private KeyPart.@Nullable Time rowTime() {
    int last = layout.rows().lastTimePart();
    return last < 0 ? null : (KeyPart.Time) layout.rows().parts().get(last);
  }

  private static long plus(long time, long more) {
    long sum = time + more;
    boolean overflow = ((time ^ sum) & (more ^ sum)) < 0;
    return overflow ? (more > 0 ? Long.MAX_VALUE : Long.MIN_VALUE) : sum;
  }

  private static long inside(long time, TimeRange times) {
    return Math.clamp(time, times.from(), times.to() - 1);
  }

  public Value value(Kind kind, Random random) {
    return switch (kind) {
      case INT64 ->
          new Value.Int64(
              random.nextBoolean()
                  ? INTEGERS[random.nextInt(INTEGERS.length)]
                  : random.nextLong() >> random.nextInt(64));
      case DOUBLE -> new Value.Real(number(random));
      case STRING ->
          new Value.Text(
              random.nextInt(5) == 0 ? "\u0000" : TEXTS.get(random.nextInt(TEXTS.size())));
    };
  }

  private double number(Random random) {
    int choice = random.nextInt(10);
    if (choice == 0 && domain.numbers() != Domain.Numbers.FINITE) {
      return random.nextBoolean() ? Double.POSITIVE_INFINITY : Double.NEGATIVE_INFINITY;
    }
    if (choice == 1 && domain.numbers() != Domain.Numbers.FINITE) {
      return domain.numbers() == Domain.Numbers.ALL
          ? Double.longBitsToDouble(0x7ff0_0000_0000_0000L | random.nextLong(1, 1L << 52))
          : Double.NaN;
    }
    return choice < 6 ? NUMBERS[random.nextInt(NUMBERS.length)] : random.nextGaussian();
  }
}
