#!/usr/bin/env node
import { spawn } from "node:child_process";
import type { AddressInfo } from "node:net";
import { type RawData, WebSocketServer } from "ws";

/*
 * Starts Firefox ESR for Playwright, which drives it over WebDriver BiDi. Playwright sets `prefers-color-scheme` in every context,
 * a command that this Firefox does not have yet: it is answered here, and all other messages pass unchanged.
 */

const UNKNOWN_COMMAND = "emulation.setMediaFeaturesOverride";

const firefox = spawn("/usr/bin/firefox-esr", process.argv.slice(2), { stdio: ["ignore", "inherit", "pipe"] });
firefox.on("exit", (code) => process.exit(code ?? 1));
for (const signal of ["SIGTERM", "SIGINT"] as const) {
  process.on(signal, () => firefox.kill(signal));
}

const toText = (data: RawData): string => (Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data)).toString();

function startProxy(firefoxUrl: string): void {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  server.on("listening", () => {
    process.stderr.write(`WebDriver BiDi listening on ws://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
  });
  server.on("connection", (client, request) => {
    const upstream = new WebSocket(`${firefoxUrl}${request.url ?? ""}`);
    const waiting: string[] = [];
    upstream.addEventListener("open", () => {
      for (const message of waiting.splice(0)) {
        upstream.send(message);
      }
    });
    upstream.addEventListener("message", ({ data }) => client.send(String(data)));
    upstream.addEventListener("close", () => client.close());
    client.on("close", () => upstream.close());
    client.on("message", (data) => {
      const text = toText(data);
      const { id, method } = JSON.parse(text) as { id: number; method: string };
      if (method === UNKNOWN_COMMAND) {
        client.send(JSON.stringify({ type: "success", id, result: {} }));
      } else if (upstream.readyState === WebSocket.OPEN) {
        upstream.send(text);
      } else {
        waiting.push(text);
      }
    });
  });
}

let output = "";
let isStarted = false;
firefox.stderr.on("data", (chunk: Buffer) => {
  process.stderr.write(chunk.toString().replaceAll("WebDriver BiDi listening", "Firefox listens"));
  output += chunk.toString();
  const url = /WebDriver BiDi listening on (ws:\/\/\S+)/.exec(output)?.[1];
  if (url !== undefined && !isStarted) {
    isStarted = true;
    startProxy(url);
  }
});
