import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundle, startRuntime } from "../bench/runtime.ts";

const MEMORY = "/dev/shm";

export interface Simulators {
  readonly origin: string;
  /** The processor time that they have used. */
  processorMs(): Promise<number>;
  stop(): Promise<void>;
}

/**
 * Starts the simulators in a process of their own, as far from the service as platforms are: without a development server before them, and
 * with their state in memory where the system has such a directory, so that they write nothing to the disk of the service.
 */
export async function startSimulators(root: string): Promise<Simulators> {
  const name = "almanac-simulators-";
  const directory = await mkdtemp(join(MEMORY, name)).catch(() => mkdtemp(join(tmpdir(), name)));
  const modules = await bundle(root, join(directory, "bundle"), "simulators");
  const runtime = await startRuntime(root, modules, join(directory, "state"), {
    environment: "simulators",
    vars: { RECORD_SECRETS: "false" },
  });
  return {
    origin: runtime.origin,
    processorMs: () => runtime.cpuMs(),
    async stop() {
      await runtime.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
