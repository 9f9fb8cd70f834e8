package dev.varve.cli;

import picocli.CommandLine.IVersionProvider;

/** Reads the version that the build wrote into the jar. */
final class Version implements IVersionProvider {
  @Override
  public String[] getVersion() {
    String version = Main.class.getPackage().getImplementationVersion();
    return new String[] {"varve " + (version == null ? "(not packaged)" : version)};
  }
}
