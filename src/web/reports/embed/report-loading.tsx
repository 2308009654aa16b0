import { useEffect, useState } from 'react'
import { Button } from '#web/ui/button.tsx'

export function ReportLoading({ area }: { area: string }) {
  return (
    <ReportPlaceholder
      text={`Carregando o relatório ${area}…`}
      advice="Depois de um tempo parado, o Power BI leva até um minuto. Se nada mudar, recarregue a página."
    />
  )
}

const SLOW_MS = 8_000

interface ReportPlaceholderProps {
  text: string
  /** What to do when it takes long. */
  advice: string
}

/** Fills the place of a report until it appears; says after 8 s that it takes long. */
export function ReportPlaceholder({ text, advice }: ReportPlaceholderProps) {
  const [isSlow, setIsSlow] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setIsSlow(true), SLOW_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div className="absolute inset-0 overflow-hidden bg-canvas dark:p-2">
      <ReportSkeleton />
      {/* Grows downwards, so that the text stays where it is. */}
      <div className="absolute inset-x-4 top-[30%] mx-auto flex w-fit max-w-sm flex-col items-center gap-3 rounded-lg border border-line bg-raised px-5 py-3 text-center text-sm shadow-md">
        <div role="status" className="space-y-1">
          <p className="text-muted">{text}</p>
          {isSlow && (
            <>
              <p className="font-medium">Está demorando mais que o normal.</p>
              <p className="text-muted">{advice}</p>
            </>
          )}
        </div>
        {isSlow && (
          <Button variant="secondary" onClick={() => location.reload()}>
            Recarregar
          </Button>
        )}
      </div>
    </div>
  )
}

/** Widths of a chart's bars; as many rows in the table. */
const BARS = ['w-5/6', 'w-2/3', 'w-1/2', 'w-1/3', 'w-1/4']

/** The usual shape of a report: heading, figures, two charts, a table and the row of pages. */
function ReportSkeleton() {
  const tile = 'flex min-h-0 flex-col rounded-md border border-line bg-surface'
  const part = 'rounded-sm bg-subtle'
  return (
    <div aria-hidden="true" className="flex size-full animate-pulse flex-col">
      <div className="flex h-13 shrink-0 items-center justify-between border-line border-b bg-surface px-3 md:h-11 md:px-4">
        <div className={`h-4 w-52 ${part}`} />
        <div className={`h-3 w-56 max-md:hidden ${part}`} />
      </div>
      <div className="flex min-h-0 flex-1 flex-col gap-2.5 overflow-hidden p-2.5 md:px-4 md:pb-3">
        <div className="grid shrink-0 grid-cols-2 gap-2.5 md:grid-cols-5">
          {[1, 2, 3, 4, 5].map((figure) => (
            <div key={figure} className={`h-20 justify-center gap-2 px-3.5 max-md:first:col-span-2 ${tile}`}>
              <div className={`h-2.5 w-24 ${part}`} />
              <div className={`h-5 w-28 ${part}`} />
              <div className={`h-2 w-32 max-w-full ${part}`} />
            </div>
          ))}
        </div>
        <div className="flex min-h-0 flex-1 flex-col gap-2.5 md:grid md:grid-cols-[10fr_11fr] md:grid-rows-[4fr_5fr]">
          <div className={`gap-3 px-3.5 py-3 max-md:h-56 max-md:shrink-0 ${tile}`}>
            <div className={`h-3 w-40 shrink-0 ${part}`} />
            <div className={`min-h-0 flex-1 ${part}`} />
          </div>
          <div className={`gap-3 overflow-hidden px-3.5 py-3 md:col-start-1 ${tile}`}>
            <div className={`h-3 w-40 shrink-0 ${part}`} />
            <div className="flex min-h-0 flex-1 flex-col gap-3.5 overflow-hidden md:justify-around md:gap-2">
              {BARS.map((width) => (
                <div key={width} className={`h-4 max-md:shrink-0 ${width} ${part}`} />
              ))}
            </div>
          </div>
          <div
            className={`gap-3 overflow-hidden px-3.5 py-3 max-md:hidden md:col-start-2 md:row-span-2 md:row-start-1 ${tile}`}
          >
            <div className={`h-3 w-40 shrink-0 ${part}`} />
            <div className="flex min-h-0 flex-1 flex-col justify-around divide-y divide-line">
              {BARS.map((row) => (
                <div key={row} className="flex flex-1 items-center justify-between">
                  <div className={`h-3 w-16 ${part}`} />
                  <div className={`h-3 w-1/2 ${part}`} />
                </div>
              ))}
            </div>
          </div>
        </div>
      </div>
      <div className="flex h-11 shrink-0 items-center gap-6 border-line border-t bg-surface px-6 md:h-9">
        <div className={`h-3 w-16 ${part}`} />
        <div className={`h-3 w-28 ${part}`} />
      </div>
    </div>
  )
}
