// What the server's commands give back, and how a diagram becomes a page.

export interface Shown {
  title: string;
  text?: string; // a role's part
  svg?: string; // a diagram
}

function escape(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}

// Scripts are not allowed in it, whatever the picture holds.
export function page(shown: Shown): string {
  const policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";
  return `<!DOCTYPE html>
<html>
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>${escape(shown.title)}</title>
</head>
<body>
${shown.svg ?? ""}
</body>
</html>
`;
}
