package dev.varve.bench.originals;

/**
 * A request that both servers get.
 *
 * @param name in the table
 * @param path below the prefix of the server's API
 * @param body empty for none
 */
record Question(String name, String method, String path, String body) {
  static Question get(String name, String path) {
    return new Question(name, "GET", path, "");
  }

  static Question post(String name, String path, String body) {
    return new Question(name, "POST", path, body);
  }
}
