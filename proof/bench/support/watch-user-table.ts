/** What the page notes of itself; times in milliseconds of its own clock. */
export interface TableMarks {
  /** From the start of the navigation until the first rows were drawn. */
  firstRows: number
  /** When the last key or click came in. */
  input: number
  /** What has to be on the page for an answer to be complete: a direction of the first column, or the words. */
  expected: string
  /** Since that input, until anything was seen of it, and until its rows were there. */
  feedback: number
  rows: number
}

/** Runs in the page and looks at every frame. What is drawn counts once the frame has been handed over. */
export function watchUserTable(): void {
  const marks: TableMarks = { firstRows: 0, input: 0, expected: '', feedback: 0, rows: 0 }
  Object.assign(window, { tableMarks: marks })

  const isAnswered = (table: Element): boolean => {
    if (table.getAttribute('aria-busy') === 'true' || !table.querySelector('[data-index]')) return false
    const direction = table.querySelector('th[aria-sort]:not([aria-sort="none"])')?.getAttribute('aria-sort')
    const words = document.querySelector('#usuarios [role="status"]')?.textContent
    return marks.expected === direction || marks.expected === words
  }
  const look = () => {
    requestAnimationFrame(look)
    const table = document.querySelector('#usuarios table')
    if (!table) return
    const note = (name: 'firstRows' | 'feedback' | 'rows', since: number) =>
      setTimeout(() => {
        marks[name] ||= performance.now() - since
      })
    if (marks.firstRows === 0 && table.querySelector('[data-index]')) note('firstRows', 0)
    if (marks.input === 0) return
    const isDone = isAnswered(table)
    if (marks.feedback === 0 && (isDone || table.getAttribute('aria-busy') === 'true'))
      note('feedback', marks.input)
    if (marks.rows === 0 && isDone) note('rows', marks.input)
  }
  requestAnimationFrame(look)

  for (const type of ['keydown', 'click', 'change'])
    addEventListener(
      type,
      ({ timeStamp }) => {
        Object.assign(marks, { input: timeStamp, feedback: 0, rows: 0 })
      },
      { capture: true },
    )
}
