import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

const MIB = 1024 ** 2;
const SAMPLE_EVERY_MS = 100;

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

interface HeapUsage {
  readonly usedSize: number;
  readonly embedderHeapUsedSize: number;
  readonly backingStorageSize: number;
}

/** Wrangler lets nobody else inspect. */
const DEVTOOLS = "https://devtools.devprod.cloudflare.dev";

/** Node's WebSocket takes headers, which the types of browsers do not know. */
function connectAs(origin: string, url: string): WebSocket {
  return Reflect.construct(WebSocket, [url, { headers: { origin } }]) as WebSocket;
}

/** Asks the Worker's own isolate what it holds, buffers outside of the heap included: what production's limit counts. */
export async function openIsolate(inspectorPort: number): Promise<() => Promise<number>> {
  const targets = (await (await fetch(`http://127.0.0.1:${inspectorPort}/json`)).json()) as {
    webSocketDebuggerUrl: string;
  }[];
  const socket = connectAs(DEVTOOLS, targets[0]?.webSocketDebuggerUrl ?? "");
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve, { once: true });
    socket.addEventListener("error", reject, { once: true });
  });
  const waiting = new Map<number, (usage: HeapUsage) => void>();
  socket.addEventListener("message", ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as { id?: number; result?: HeapUsage };
    if (id !== undefined && result) {
      waiting.get(id)?.(result);
      waiting.delete(id);
    }
  });
  let next = 1;
  return async () => {
    const id = next++;
    const { promise, resolve } = Promise.withResolvers<HeapUsage>();
    waiting.set(id, resolve);
    socket.send(JSON.stringify({ id, method: "Runtime.getHeapUsage" }));
    const usage = await promise;
    return (usage.usedSize + usage.embedderHeapUsedSize + usage.backingStorageSize) / MIB;
  };
}

/** The highest reading of each gauge while something runs. */
export async function peaksDuring<T>(
  gauges: readonly (() => Promise<number>)[],
  work: () => Promise<T>,
): Promise<{ value: T; peaks: readonly number[] }> {
  const peaks = gauges.map(() => 0);
  let running = true;
  const watching = gauges.map(async (gauge, index) => {
    while (running) {
      peaks[index] = Math.max(peaks[index] ?? 0, await gauge());
      await new Promise((resolve) => setTimeout(resolve, SAMPLE_EVERY_MS));
    }
  });
  try {
    const value = await work();
    return { value, peaks };
  } finally {
    running = false;
    await Promise.all(watching);
  }
}
