import type { Context as HonoContext } from "hono";
import type { Config, Env } from "#config.ts";
import type { DocsSite } from "./site.ts";

export interface DocsEnv {
  Bindings: Env;
  Variables: {
    config: Config;
    readSite: () => Promise<DocsSite>;
    /** The page sets it if its script calls the API. */
    callsApi?: boolean;
  };
}

export type DocsContext = HonoContext<DocsEnv>;
