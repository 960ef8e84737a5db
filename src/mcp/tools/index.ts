import type { Tool } from "#mcp/tool/tool.ts";
import { annotatePostTool } from "./annotate-post.ts";
import { cancelPostTool } from "./cancel-post.ts";
import { confirmPreviewTool } from "./confirm-preview.ts";
import { connectAccountTool } from "./connect-account.ts";
import { createUploadTool } from "./create-upload.ts";
import { deleteDraftTool } from "./delete-draft.ts";
import { disconnectAccountTool } from "./disconnect-account.ts";
import { getOverviewTool } from "./get-overview.ts";
import { getPlatformRulesTool } from "./get-platform-rules.ts";
import { getPostTool } from "./get-post.ts";
import { getSlotsTool } from "./get-slots.ts";
import { importMediaTool } from "./import-media.ts";
import { listAccountsTool } from "./list-accounts.ts";
import { boardsTools } from "./list-boards.ts";
import { listPostsTool } from "./list-posts.ts";
import { previewDraftTool } from "./preview-draft.ts";
import { previewEditTool } from "./preview-edit.ts";
import { previewPostTool } from "./preview-post.ts";
import { readDraftsTool } from "./read-drafts.ts";
import { saveDraftTool } from "./save-draft.ts";
import { setSlotsTool } from "./set-slots.ts";
import { switchWorkspaceTool } from "./switch-workspace.ts";
import { syncAccountsTool } from "./sync-accounts.ts";

/** All tools, in the order in which `tools/list` shows them to a model. */
export const TOOLS: readonly Tool[] = [
  getOverviewTool,
  listAccountsTool,
  ...boardsTools,
  connectAccountTool,
  syncAccountsTool,
  disconnectAccountTool,
  getPlatformRulesTool,
  importMediaTool,
  createUploadTool,
  previewPostTool,
  previewEditTool,
  confirmPreviewTool,
  listPostsTool,
  getPostTool,
  annotatePostTool,
  cancelPostTool,
  readDraftsTool,
  saveDraftTool,
  previewDraftTool,
  deleteDraftTool,
  getSlotsTool,
  setSlotsTool,
  switchWorkspaceTool,
];
