// The extension: starts `chorex lsp` for C files, and shows what its code lenses ask for.

import * as vscode from "vscode";
import { LanguageClient, LanguageClientOptions, ServerOptions } from "vscode-languageclient/node";

import { page, Shown } from "./shown";

let client: LanguageClient | undefined;

function show(result: Shown | null | undefined): void {
  if (result === null || result === undefined) {
    return;
  }
  if (result.text !== undefined) {
    void vscode.workspace
      .openTextDocument({ content: result.text, language: "plaintext" })
      .then((document) => vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside, preview: true }));
    return;
  }
  const panel = vscode.window.createWebviewPanel("chorex", result.title, vscode.ViewColumn.Beside, { enableScripts: false });
  panel.webview.html = page(result);
}

function makeClient(): LanguageClient {
  const settings = vscode.workspace.getConfiguration("chorex");
  const server: ServerOptions = { command: settings.get<string>("server", "chorex"), args: ["lsp"] };
  const options: LanguageClientOptions = {
    documentSelector: [{ scheme: "file", language: "c" }],
    synchronize: { configurationSection: "chorex", fileEvents: vscode.workspace.createFileSystemWatcher("**/*.{c,h,chor}") },
    initializationOptions: { flags: settings.get<string[]>("flags", []), showResults: false },
    middleware: {
      executeCommand: async (command, args, next) => {
        const result = await next(command, args);
        if (command === "chorex.showPart" || command === "chorex.showDiagram") {
          show(result as Shown);
        }
        return result;
      },
    },
  };
  return new LanguageClient("chorex", "Chorex", server, options);
}

async function start(): Promise<void> {
  client = makeClient();
  try {
    await client.start();
  } catch (error) {
    void vscode.window.showErrorMessage(
      `Chorex: the language server can't be started (${String(error)}). Is chorex installed? The setting chorex.server says where.`,
    );
  }
}

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  context.subscriptions.push(
    vscode.commands.registerCommand("chorex.restart", async () => {
      await deactivate();
      await start();
    }),
  );
  await start();
}

export async function deactivate(): Promise<void> {
  const old = client;
  client = undefined;
  if (old !== undefined && old.isRunning()) {
    await old.stop();
  }
}
