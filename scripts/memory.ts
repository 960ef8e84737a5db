import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

const MIB = 1024 ** 2;
const SAMPLE_EVERY_MS = 100;

/**
 * Finds the process that runs the Worker and the local D1 and R2. Wrangler's proxy is the same program, but listens on the port that
 * callers use.
 */
export async function runtimePid(group: number, port: number): Promise<number> {
  const { stdout } = await promisify(execFile)("ps", ["-A", "-ww", "-o", "pid=,pgid=,args="]);
  const processMatch = stdout
    .split("\n")
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line))
    .find(
      (fields) =>
        Number(fields?.[2]) === group &&
        /\/workerd serve /.test(fields?.[3] ?? "") &&
        !fields?.[3]?.includes(`:${port} `),
    );
  if (!processMatch) {
    throw new Error("the runtime's process was not found");
  }
  return Number(processMatch[1]);
}

export async function residentMib(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024;
}

interface HeapUsage {
  readonly usedSize: number;
  readonly embedderHeapUsedSize: number;
  readonly backingStorageSize: number;
}

/** Wrangler accepts inspector connections only from this origin. */
const INSPECTOR_ORIGIN = "https://devtools.devprod.cloudflare.dev";

/** Node's WebSocket accepts headers, but the DOM types do not declare them. */
function connectWithOrigin(origin: string, url: string): WebSocket {
  return Reflect.construct(WebSocket, [url, { headers: { origin } }]) as WebSocket;
}

/** Returns a function that reads the isolate's memory, buffers outside the heap included, as production's limit counts it. */
export async function connectToIsolate(inspectorPort: number): Promise<() => Promise<number>> {
  const list = await (await fetch(`http://127.0.0.1:${inspectorPort}/json`)).text();
  const targets = JSON.parse(list) as readonly { readonly webSocketDebuggerUrl: string }[];
  const socket = connectWithOrigin(INSPECTOR_ORIGIN, targets[0]?.webSocketDebuggerUrl ?? "");
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve, { once: true });
    socket.addEventListener("error", reject, { once: true });
  });
  const pendingRequests = new Map<number, (usage: HeapUsage) => void>();
  socket.addEventListener("message", ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as { id?: number; result?: HeapUsage };
    if (id !== undefined && result) {
      pendingRequests.get(id)?.(result);
      pendingRequests.delete(id);
    }
  });
  let nextId = 1;
  return async () => {
    const id = nextId++;
    const { promise, resolve } = Promise.withResolvers<HeapUsage>();
    pendingRequests.set(id, resolve);
    socket.send(JSON.stringify({ id, method: "Runtime.getHeapUsage" }));
    const usage = await promise;
    return (usage.usedSize + usage.embedderHeapUsedSize + usage.backingStorageSize) / MIB;
  };
}

/** Samples each gauge while `work` runs and returns the highest readings. */
export async function peaksDuring<T>(
  gauges: readonly (() => Promise<number>)[],
  work: () => Promise<T>,
): Promise<{ value: T; peaks: readonly number[] }> {
  const peaks = gauges.map(() => 0);
  const done = new AbortController();
  const sampling = gauges.map(async (gauge, index) => {
    while (!done.signal.aborted) {
      peaks[index] = Math.max(peaks[index] ?? 0, await gauge());
      await new Promise((resolve) => setTimeout(resolve, SAMPLE_EVERY_MS));
    }
  });
  try {
    const value = await work();
    return { value, peaks };
  } finally {
    done.abort();
    await Promise.all(sampling);
  }
}
