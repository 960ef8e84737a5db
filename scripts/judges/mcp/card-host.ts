import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";

/*
 * The page of a host, by the reference implementation of MCP Apps: bundled and put into a browser, where it shows one card in a
 * frame that has no right but scripts.
 */

type CallToolResult = Awaited<ReturnType<NonNullable<AppBridge["oncalltool"]>>>;

/** What the card told its host, in the order of the messages. */
export interface Heard {
  readonly calledTools: string[];
  readonly openedLinks: string[];
  readonly modelContexts: string[];
  readonly heights: number[];
  readonly errors: string[];
}

export interface CardHost {
  show(card: { html: string; theme: "light" | "dark"; input: Record<string, unknown>; result: unknown }): Promise<void>;
  changeTheme(theme: "light" | "dark"): Promise<void>;
  heard(): Heard;
  /** Asks the card whether it is there, and then to end; throws unless it answers both. */
  end(): Promise<void>;
}

declare global {
  interface Window {
    callTool(params: unknown): Promise<unknown>;
    host: CardHost;
  }
}

const heard: Heard = { calledTools: [], openedLinks: [], modelContexts: [], heights: [], errors: [] };

function createBridge(theme: "light" | "dark"): AppBridge {
  const capabilities = { openLinks: {}, serverTools: {}, updateModelContext: { text: {} } };
  const bridge = new AppBridge(null, { name: "judge", version: "1.0.0" }, capabilities, { hostContext: { theme } });
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the bridge has no event of this name
  bridge.onerror = (error) => heard.errors.push(error.message);
  bridge.oncalltool = async (params) => {
    heard.calledTools.push(params.name);
    return (await window.callTool(params)) as CallToolResult;
  };
  bridge.onopenlink = async ({ url }) => {
    heard.openedLinks.push(url);
    return {};
  };
  bridge.onupdatemodelcontext = async ({ content }) => {
    heard.modelContexts.push(JSON.stringify(content));
    return {};
  };
  bridge.addEventListener("sizechange", ({ height }) => heard.heights.push(height ?? 0));
  return bridge;
}

let bridge: AppBridge;

window.host = {
  async show({ html, theme, input, result }) {
    bridge = createBridge(theme);
    const frame = document.createElement("iframe");
    frame.title = "Card";
    frame.setAttribute("sandbox", "allow-scripts");
    frame.width = "300";
    frame.height = "600";
    document.body.insertAdjacentElement("beforeend", frame);
    const view = frame.contentWindow;
    if (view === null) {
      throw new Error("the frame has no window");
    }
    const isInitialized = new Promise<void>((resolve) => bridge.addEventListener("initialized", () => resolve()));
    await bridge.connect(new PostMessageTransport(view, view));
    frame.srcdoc = html;
    await isInitialized;
    await bridge.sendToolInput({ arguments: input });
    await bridge.sendToolResult(result as CallToolResult);
  },
  async changeTheme(theme) {
    await bridge.sendHostContextChange({ theme });
  },
  heard: () => heard,
  async end() {
    await bridge.request({ method: "ping" });
    await bridge.teardownResource({});
  },
};
