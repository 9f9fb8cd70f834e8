package dev.varve.layout.declared;

import dev.varve.layout.declared.FamilyDeclaration.ValueForm;
import dev.varve.model.Resolution;
import dev.varve.store.FamilySpec;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import java.util.regex.Pattern;

/** Writes declarations in the form in which they are read. */
public final class DeclarationText {
  /** Texts that YAML reads as they are, and neither as a number nor as a word of its own. */
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z_][A-Za-z0-9_./-]*");

  private static final Pattern WORD = Pattern.compile("(?i)true|false|yes|no|on|off|null|y|n");

  private DeclarationText() {}

  /** Returns a declaration as YAML that declares the same layout, with a line break at the end. */
  public static String yaml(Declaration declaration) {
    StringBuilder yaml = new StringBuilder();
    line(yaml, "layout: " + text(declaration.name()));
    if (!declaration.about().isEmpty()) {
      line(yaml, "about: " + text(declaration.about()));
    }
    if (declaration.resolution() != Resolution.MILLISECONDS) {
      line(yaml, "resolution: " + declaration.resolution().symbol());
    }
    if (!declaration.table().equals(declaration.name())) {
      line(yaml, "table: " + text(declaration.table()));
    }
    if (declaration.retention() != null) {
      line(yaml, "retention: " + TimeText.of(declaration.retention()));
    }
    line(yaml, "key:");
    declaration.key().forEach(element -> line(yaml, "  - " + key(element)));
    line(yaml, "partition: " + declaration.partition());
    line(yaml, "families:");
    declaration.families().forEach(family -> family(yaml, family));
    AttributesDeclaration attributes = declaration.attributes();
    if (attributes != null) {
      line(
          yaml,
          "attributes: {family: %s, time: %s, versions: %s}"
              .formatted(
                  text(attributes.family()),
                  time(attributes.time()),
                  versions(attributes.versions())));
    }
    if (!declaration.allow().isEmpty()) {
      line(
          yaml,
          "allow: [" + String.join(", ", declaration.allow().stream().sorted().toList()) + "]");
    }
    return yaml.toString();
  }

  private static void line(StringBuilder yaml, String line) {
    yaml.append(line).append('\n');
  }

  private static void family(StringBuilder yaml, FamilyDeclaration family) {
    line(yaml, "  " + text(family.name()) + ":");
    if (!family.fields().isEmpty()) {
      line(yaml, "    fields: " + texts(family.fields()));
    }
    List<String> qualifier = family.qualifier().stream().map(DeclarationText::qualifier).toList();
    line(yaml, "    qualifier: [" + String.join(", ", qualifier) + "]");
    if (!(family.time() instanceof CellTime.Server)) {
      line(yaml, "    time: " + time(family.time()));
    }
    if (family.value() != ValueForm.ONE) {
      line(yaml, "    value: " + family.value().text());
    }
    line(yaml, "    versions: " + versions(family.versions()));
  }

  private static String qualifier(QualifierElement element) {
    return switch (element) {
      case QualifierElement.Field _ -> "field";
      case QualifierElement.Sequence _ -> "sequence";
      case QualifierElement.Value _ -> "value";
      case QualifierElement.Fixed fixed -> "fixed: " + text(fixed.bytes());
      case QualifierElement.Offset offset -> {
        List<String> body = new ArrayList<>();
        if (offset.bytes() > 0) {
          body.add("bytes: " + offset.bytes());
        }
        if (offset.unit() != null) {
          body.add("unit: " + TimeText.of(offset.unit()));
        }
        yield body.isEmpty() ? "offset" : "{offset: {" + String.join(", ", body) + "}}";
      }
    };
  }

  private static String time(CellTime time) {
    return switch (time) {
      case CellTime.Server _ -> "server";
      case CellTime.Event _ -> "event";
      case CellTime.Shifted shifted -> "{shifted: " + shifted.millis() + "}";
    };
  }

  private static String versions(int versions) {
    return versions == FamilySpec.ALL_VERSIONS ? "all" : Integer.toString(versions);
  }

  private static String key(KeyElement element) {
    return switch (element) {
      case KeyElement.Metric metric -> formed("metric", "", metric.form());
      case KeyElement.Tag tag -> formed("tag", tag.tag(), tag.form());
      case KeyElement.AllTags _ -> "tags";
      case KeyElement.Resource resource ->
          formed("resource", resource.identifier(), resource.form());
      case KeyElement.AllResource _ -> "resource";
      case KeyElement.Literal literal -> "literal: " + text(literal.bytes());
      case KeyElement.Sequence _ -> "sequence";
      case KeyElement.Time time -> time.descending() ? "time: {order: descending}" : "time";
      case KeyElement.Bucket bucket -> bucket(bucket);
      case KeyElement.Salt salt -> "salt: " + of("buckets", salt.buckets(), salt.of());
      case KeyElement.Hash hash -> "hash: " + of("bytes", hash.bytes(), hash.of());
    };
  }

  private static String of(String name, int number, List<String> parts) {
    return parts.isEmpty()
        ? Integer.toString(number)
        : "{" + name + ": " + number + ", of: " + texts(parts) + "}";
  }

  private static String bucket(KeyElement.Bucket bucket) {
    StringJoiner body = new StringJoiner(", ", "{", "}");
    body.add("width: " + bucket.width().text());
    if (bucket.label() != KeyElement.Label.START) {
      body.add("label: " + bucket.label().text());
    }
    if (bucket.descending()) {
      body.add("order: descending");
    }
    boolean plain = bucket.label() == KeyElement.Label.START && !bucket.descending();
    return "bucket: " + (plain ? bucket.width().text() : body.toString());
  }

  private static String formed(String kind, String name, TextForm form) {
    List<String> body = new ArrayList<>();
    if (!name.isEmpty()) {
      body.add("name: " + text(name));
    }
    if (form.width() > 0) {
      body.add("width: " + form.width());
    }
    switch (form.transform()) {
      case TextTransform.None _ -> {}
      case TextTransform.ReverseDomain _ -> body.add("transform: reverse-domain");
      case TextTransform.Reverse _ -> body.add("transform: reverse");
      case TextTransform.ZeroPad pad -> {
        body.add("transform: zero-pad");
        body.add("digits: " + pad.digits());
      }
    }
    if (body.isEmpty()) {
      return kind;
    }
    return body.size() == 1 && !name.isEmpty()
        ? kind + ": " + text(name)
        : kind + ": {" + String.join(", ", body) + "}";
  }

  private static String texts(List<String> all) {
    return "[" + String.join(", ", all.stream().map(DeclarationText::text).toList()) + "]";
  }

  /** Returns a text as YAML: as it is, or in quotes. */
  private static String text(String text) {
    if (PLAIN.matcher(text).matches() && !WORD.matcher(text).matches()) {
      return text;
    }
    StringBuilder quoted = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        quoted.append('\\').append(c);
      } else if (c < ' ' || (c >= 0x7f && c <= 0xa0) || c >= 0x2000) {
        quoted.append("\\u%04x".formatted((int) c));
      } else {
        quoted.append(c);
      }
    }
    return quoted.append('"').toString();
  }
}
