package dev.varve.layout.declared;

import dev.varve.layout.Binding;
import dev.varve.layout.DamagedCellException;
import dev.varve.layout.KeyBytes;
import dev.varve.layout.KeyInput;
import dev.varve.layout.KeyPart;
import dev.varve.layout.KeyPart.Role;
import dev.varve.layout.RowShape;
import dev.varve.model.Resolution;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The compiled parts of a row key. It knows which parts are the same in all rows of a key, so that
 * they are encoded once, and checks whole rows without allocating.
 */
final class KeyPlan {
  private final RowShape shape;
  private final KeyPart[] parts;

  /** Whether the part is the same in every row of a key. */
  private final boolean[] settled;

  private final int segments;
  private final int lastTime;
  private final boolean nestedTimes;
  private final boolean oneRowASample;

  KeyPlan(Declaration declaration) {
    List<KeyPart> compiled = compile(declaration.key(), declaration.resolution());
    this.shape = new RowShape(compiled, declaration.partition());
    this.parts = compiled.toArray(KeyPart[]::new);
    this.settled = new boolean[parts.length];
    this.lastTime = shape.lastTimePart();
    this.nestedTimes = shape.timePart() != lastTime;
    int runs = 0;
    boolean sequence = false;
    for (int i = 0; i < parts.length; i++) {
      settled[i] = isSettled(parts[i]);
      runs += settled[i] && (i == 0 || !settled[i - 1]) ? 1 : 0;
      sequence |= parts[i].role() == Role.SEQUENCE;
    }
    this.segments = runs;
    this.oneRowASample = sequence;
  }

  private static List<KeyPart> compile(List<KeyElement> key, Resolution resolution) {
    Set<String> tags = new HashSet<>();
    Set<String> identifiers = new HashSet<>();
    for (KeyElement element : key) {
      if (element instanceof KeyElement.Tag(String name, TextForm form)) {
        tags.add(name);
      } else if (element instanceof KeyElement.Resource(String name, TextForm form)) {
        identifiers.add(name);
      }
    }
    boolean allTags = key.contains(new KeyElement.AllTags());
    boolean allResource = key.contains(new KeyElement.AllResource());
    // Compiled from last to first, because a salt is computed from later parts.
    List<KeyPart> compiled = new ArrayList<>();
    for (int i = key.size() - 1; i >= 0; i--) {
      List<KeyElement> later = key.subList(i + 1, key.size());
      compiled.addFirst(
          switch (key.get(i)) {
            case KeyElement.Metric metric -> TextPart.metric(metric);
            case KeyElement.Tag tag -> TextPart.tag(tag, allTags);
            case KeyElement.AllTags all -> TagSetPart.tags(tags);
            case KeyElement.Resource resource -> TextPart.resource(resource, allResource);
            case KeyElement.AllResource all -> TagSetPart.resource(identifiers);
            case KeyElement.Literal literal -> new LiteralPart(literal);
            case KeyElement.Bucket bucket ->
                bucket.label() == KeyElement.Label.TEXT
                    ? new NamedBucketPart(bucket, resolution)
                    : new BucketPart(bucket, resolution);
            case KeyElement.Time time -> new InstantPart(time, resolution);
            case KeyElement.Sequence sequence -> new SequencePart();
            case KeyElement.Salt salt ->
                new SaltPart(salt, saltedOf(salt.of(), later), covered(salt.of(), later, compiled));
            case KeyElement.Hash hash -> new HashPart(hash, covered(hash.of(), later, compiled));
          });
    }
    return compiled;
  }

  private static CoveredParts covered(
      List<String> of, List<KeyElement> later, List<KeyPart> compiled) {
    boolean[] covered = new boolean[later.size()];
    for (int i = 0; i < covered.length; i++) {
      covered[i] = of.isEmpty() ? compiled.get(i).role().ofKey() : of.contains(later.get(i).name());
    }
    return new CoveredParts(compiled, covered);
  }

  private static KeyPart.Salt.Of saltedOf(List<String> of, List<KeyElement> later) {
    KeyPart.Salt.Of result = KeyPart.Salt.Of.KEY;
    for (KeyElement element : later) {
      if (of.contains(element.name())) {
        if (element instanceof KeyElement.Time) {
          return KeyPart.Salt.Of.SAMPLE;
        }
        if (element instanceof KeyElement.Bucket) {
          result = KeyPart.Salt.Of.KEY_AND_BUCKET;
        }
      }
    }
    return result;
  }

  private static boolean isSettled(KeyPart part) {
    return part instanceof KeyPart.Salt salt
        ? salt.of() == KeyPart.Salt.Of.KEY
        : part.role().ofKey() || part.role() == Role.LITERAL;
  }

  RowShape shape() {
    return shape;
  }

  /** Returns whether each sample, or slot of samples, is a row of its own. */
  boolean oneRowASample() {
    return oneRowASample;
  }

  /** Returns the part with the finest time of a row; the shape must have one. */
  KeyPart.Time time() {
    return (KeyPart.Time) parts[lastTime];
  }

  boolean hasTime() {
    return lastTime >= 0;
  }

  /** Returns an upper bound of the bytes that differ from row to row. */
  int unsettledLength() {
    int length = 0;
    for (int i = 0; i < parts.length; i++) {
      // Named buckets are the longest part, with ten bytes.
      length += settled[i] ? 0 : 10;
    }
    return length;
  }

  /** Encodes, once, the parts that are the same in every row of a key. */
  DeclaredBinding bind(Binding plain) {
    KeyInput input = new KeyInput(plain);
    KeyBytes out = new KeyBytes();
    byte[][] bytes = new byte[segments][];
    int next = 0;
    for (int i = 0; i < parts.length; i++) {
      if (settled[i]) {
        parts[i].encode(input, out);
        if (i + 1 == parts.length || !settled[i + 1]) {
          bytes[next++] = out.toBytes().toArray();
          out.clear();
        }
      }
    }
    return new DeclaredBinding(plain.key(), bytes);
  }

  /** Appends the key of the row that a sample belongs to. */
  void encode(DeclaredBinding binding, KeyInput input, KeyBytes out) {
    int next = 0;
    for (int i = 0; i < parts.length; i++) {
      if (!settled[i]) {
        parts[i].encode(input, out);
      } else if (i == 0 || !settled[i - 1]) {
        out.raw(binding.segments()[next++]);
      }
    }
  }

  /**
   * Checks a whole row key as far as its bytes allow: every part is valid, salts match the parts
   * they are computed from, coarser times contain the finest, and there are no trailing bytes.
   *
   * @return the time of its last time part, or 0 if there is none
   * @throws DamagedCellException if a check fails
   */
  long check(byte[] row, int from, int to) {
    int at = from;
    long time = 0;
    for (int i = 0; i < parts.length; i++) {
      KeyPart part = parts[i];
      if (i == lastTime) {
        time = ((KeyPart.Time) part).timeAt(row, at, to);
      }
      at =
          switch (part) {
            case SaltPart salt -> salt.check(row, at, to);
            case HashPart hash -> hash.check(row, at, to);
            default -> part.skip(row, at, to);
          };
    }
    if (at != to) {
      throw new DamagedCellException(
          "row key: %d extra bytes after %s".formatted(to - at, parts[parts.length - 1]));
    }
    if (nestedTimes) {
      checkCoarserTimes(row, from, to, time);
    }
    return time;
  }

  private void checkCoarserTimes(byte[] row, int from, int to, long time) {
    int at = from;
    for (int i = 0; i < lastTime; i++) {
      if (parts[i] instanceof KeyPart.Time coarser
          && coarser.timeAt(row, at, to) != coarser.floor(time)) {
        throw new DamagedCellException(
            "row key, byte %d: %s does not contain time %d, which follows it"
                .formatted(at, coarser, time));
      }
      at = parts[i].skip(row, at, to);
    }
  }

  /** Decodes the stamp in a row key; the shape must have a sequence. */
  long stamp(byte[] row, int from, int to) {
    int at = from;
    for (KeyPart part : parts) {
      if (part.role() == Role.SEQUENCE) {
        return OrderedNumber.read(row, at, false);
      }
      at = part.skip(row, at, to);
    }
    throw new IllegalStateException("row keys of " + shape + " carry no sequence");
  }
}
