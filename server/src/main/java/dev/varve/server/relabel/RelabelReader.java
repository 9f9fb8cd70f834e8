package dev.varve.server.relabel;

import dev.varve.server.config.ConfigReader;
import java.util.ArrayList;
import java.util.List;

/** Reads relabelling rules from a configuration. */
public final class RelabelReader {
  private RelabelReader() {}

  /**
   * Reads the list of rules of a key. Problems are recorded with their places.
   *
   * @return no rules if one of them is invalid
   */
  public static Relabelling read(ConfigReader within, String key) {
    List<RelabelConfig> rules = new ArrayList<>();
    boolean good = true;
    for (ConfigReader item : within.list(key)) {
      List<String> sources = item.texts("source_labels");
      RelabelConfig rule =
          new RelabelConfig(
              item.has("source_labels") ? sources : null,
              item.text("separator"),
              item.text("regex"),
              item.text("modulus"),
              item.text("target_label"),
              item.text("replacement"),
              item.text("action"));
      item.refuseUnknown();
      try {
        Relabelling.check(rule);
        rules.add(rule);
      } catch (WrongRuleException e) {
        good = false;
        item.problem(e.key(), String.valueOf(e.getMessage()));
      }
    }
    return good ? Relabelling.of(rules) : Relabelling.NONE;
  }
}
