import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

const SAMPLE_EVERY_MS = 50;

/** The runtime's processes below a supervisor of ours: the Worker with its local stores, and the proxy in front of it. */
export async function runtimePids(group: number): Promise<readonly number[]> {
  const { stdout } = await promisify(execFile)("ps", ["-A", "-o", "pid=,pgid=,comm="]);
  const found = stdout
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([, leader, command]) => Number(leader) === group && command?.includes("workerd"))
    .map(([pid]) => Number(pid));
  if (found.length === 0) {
    throw new Error("the runtime's processes were not found");
  }
  return found;
}

export async function residentMib(pids: readonly number[]): Promise<number> {
  const pages = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/status`, "utf8")));
  return pages.reduce((sum, page) => sum + Number(/^VmRSS:\s+(\d+) kB$/m.exec(page)?.[1] ?? 0) / 1024, 0);
}

/** The highest resident memory of the processes while something runs. */
export async function peakDuring<T>(
  pids: readonly number[],
  work: () => Promise<T>,
): Promise<{ value: T; peakMib: number }> {
  let peakMib = 0;
  let running = true;
  const watching = (async () => {
    while (running) {
      peakMib = Math.max(peakMib, await residentMib(pids));
      await new Promise((resolve) => setTimeout(resolve, SAMPLE_EVERY_MS));
    }
  })();
  try {
    const value = await work();
    return { value, peakMib };
  } finally {
    running = false;
    await watching;
  }
}
