#!/usr/bin/env node
import { spawn } from "node:child_process";
import type { AddressInfo } from "node:net";
import { type RawData, WebSocketServer } from "ws";

/*
 * Starts Firefox ESR for Playwright, which drives it over WebDriver BiDi. Playwright makes settings in every context for which some
 * versions of Firefox ESR have no command yet. Every message passes; where Firefox does not know one of these commands, the answer
 * is that the setting was made, because no journey depends on it. With FIREFOX_POINTER=touch what Playwright does with the mouse is
 * done with a finger, because its own tap does nothing in Firefox. What Playwright evaluates runs beside the scripts of a page and
 * not among them, where the content security policy of the page would refuse it.
 */

const RESULTS_OF_SETTINGS: Readonly<Record<string, object>> = {
  "browser.setDownloadBehavior": {},
  "emulation.setLocaleOverride": {},
  "emulation.setMediaFeaturesOverride": {},
  "emulation.setScreenOrientationOverride": {},
  "emulation.setScreenSettingsOverride": {},
  "emulation.setTimezoneOverride": {},
  "network.addDataCollector": { collector: "none" },
};

const firefox = spawn("/usr/bin/firefox-esr", process.argv.slice(2), {
  stdio: ["ignore", "inherit", "pipe"],
  // The zone of the journeys, also where Firefox has no command for it.
  env: { ...process.env, TZ: "UTC" },
});
firefox.on("exit", (code) => process.exit(code ?? 1));
for (const signal of ["SIGTERM", "SIGINT"] as const) {
  process.on(signal, () => firefox.kill(signal));
}

const isTouch = process.env["FIREFOX_POINTER"] === "touch";

interface Command {
  readonly id: number;
  readonly method: string;
  readonly params: { readonly target?: { readonly context?: string; readonly sandbox?: string } };
}

function forFirefox(command: Command): Command {
  const { method, params } = command;
  if (/^script\.(?:evaluate|callFunction)$/.test(method) && params.target?.context !== undefined) {
    return { ...command, params: { ...params, target: { sandbox: "journey", ...params.target } } };
  }
  if (isTouch && method === "input.performActions") {
    const withFinger = JSON.stringify(params).replaceAll('"pointerType":"mouse"', '"pointerType":"touch"');
    return { ...command, params: JSON.parse(withFinger) as Command["params"] };
  }
  return command;
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
    const settings = new Map<number, object>();
    upstream.addEventListener("open", () => {
      for (const message of waiting.splice(0)) {
        upstream.send(message);
      }
    });
    upstream.addEventListener("message", ({ data }) => {
      const text = String(data);
      const { id, error } = JSON.parse(text) as { id?: number; error?: string };
      const result = id !== undefined && error === "unknown command" ? settings.get(id) : undefined;
      client.send(result === undefined ? text : JSON.stringify({ type: "success", id, result }));
    });
    upstream.addEventListener("close", () => client.close());
    client.on("close", () => upstream.close());
    client.on("message", (data) => {
      const command = JSON.parse(toText(data)) as Command;
      const result = RESULTS_OF_SETTINGS[command.method];
      if (result !== undefined) {
        settings.set(command.id, result);
      }
      const text = JSON.stringify(forFirefox(command));
      if (upstream.readyState === WebSocket.OPEN) {
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
