/**
 * The parts of the document title, in order: 'Sessão expira em
 * 1:58 · (3) Vendas · Relatórios · Pátio'.
 */
interface DocumentTitle {
  remark: string
  unreadCount: number
  /** The open item of the screen, such as the area. */
  part: string
  title: string
}

let current: DocumentTitle | undefined

/** Sets parts of the document title and keeps the others. */
export function setDocumentTitle(change: Partial<DocumentTitle>): void {
  current = { remark: '', unreadCount: 0, part: '', title: document.title, ...current, ...change }
  const { remark, unreadCount, part, title } = current
  const count = unreadCount > 0 ? `(${unreadCount}) ` : ''
  document.title = `${remark && `${remark} · `}${count}${part && `${part} · `}${title}`
}
