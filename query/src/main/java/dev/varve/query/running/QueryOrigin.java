package dev.varve.query.running;

/**
 * What is asked, of what, and by whom.
 *
 * @param language or API: {@code promql}, {@code varve}, {@code kairosdb} and the like
 * @param text what is asked, in its language; of a long one the beginning
 * @param client the address that it came from
 * @param agent what the client calls itself; empty where it does not say
 * @param share whom limits per client count
 */
public record QueryOrigin(
    String dataset, String language, String text, String client, String agent, String share) {
  private static final int TEXT_MAX = 2000;
  private static final int AGENT_MAX = 200;

  /** Of texts that are too long the beginning is kept. */
  public QueryOrigin {
    text = beginning(text, TEXT_MAX);
    agent = beginning(agent, AGENT_MAX);
  }

  /** Of a client that limits per client count by the address that it came from. */
  public QueryOrigin(String dataset, String language, String text, String client, String agent) {
    this(dataset, language, text, client, agent, client);
  }

  private static String beginning(String text, int max) {
    if (text.length() <= max) {
      return text;
    }
    int end = Character.isHighSurrogate(text.charAt(max - 1)) ? max - 1 : max;
    return "%s... (%,d characters)".formatted(text.substring(0, end), text.length());
  }
}
