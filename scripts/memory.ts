import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

const MIB = 1024 ** 2;
const SAMPLE_EVERY_MS = 100;

/**
 * The process that runs the Worker (and the local stand-ins of D1 and R2). Wrangler's own proxy, a second one, listens on
 * the port that callers use.
 */
export async function runtimePid(group: number, port: number): Promise<number> {
  const { stdout } = await promisify(execFile)("ps", ["-A", "-ww", "-o", "pid=,pgid=,args="]);
  const found = stdout
    .split("\n")
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line))
    .find(
      (line) =>
        Number(line?.[2]) === group && /\/workerd serve /.test(line?.[3] ?? "") && !line?.[3]?.includes(`:${port} `),
    );
  if (!found) {
    throw new Error("the runtime's process was not found");
  }
  return Number(found[1]);
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

/** Wrangler lets nobody else inspect. */
const DEVTOOLS = "https://devtools.devprod.cloudflare.dev";

/** Node's WebSocket takes headers, which the types of browsers do not know. */
function connectAs(origin: string, url: string): WebSocket {
  return Reflect.construct(WebSocket, [url, { headers: { origin } }]) as WebSocket;
}

/** Asks the Worker's own isolate what it holds, buffers outside of the heap included: what production's limit counts. */
export async function openIsolate(inspectorPort: number): Promise<() => Promise<number>> {
  const list = await (await fetch(`http://127.0.0.1:${inspectorPort}/json`)).text();
  const targets = JSON.parse(list) as readonly { readonly webSocketDebuggerUrl: string }[];
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
  const done = new AbortController();
  const watching = gauges.map(async (gauge, index) => {
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
    await Promise.all(watching);
  }
}
