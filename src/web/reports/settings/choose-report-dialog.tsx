import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import ArrowLeft from 'lucide-react/icons/arrow-left'
import { useRef, useState } from 'react'
import { foldText } from '#contract/entitlement-lists.ts'
import { callApi } from '#web/http/api.ts'
import { FailedLoad } from '#web/ui/alert.tsx'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { Skeleton } from '#web/ui/loading.tsx'
import { TextField } from '#web/ui/text-field.tsx'

interface ChosenReport {
  workspaceId: string
  reportId: string
  name: string
  /** Null for a report without a single semantic model. */
  datasetId: string | null
}

interface ChooseReportDialogProps {
  onChoose: (report: ChosenReport) => void
  onClose: () => void
}

/** 'Escolher no Power BI': picks a workspace the portal's application can see, then a report. */
export function ChooseReportDialog({ onChoose, onClose }: ChooseReportDialogProps) {
  const [workspace, setWorkspace] = useState<Item>()
  const search = useRef<HTMLInputElement>(null)
  const list = useQuery({
    queryKey: ['power-bi-choices', workspace?.id],
    queryFn: async ({ signal }): Promise<Item[]> => {
      if (!workspace) return (await callApi('GET /api/power-bi/workspaces', { signal })).items
      const input = { params: { workspaceId: workspace.id }, signal }
      return (await callApi('GET /api/power-bi/workspaces/{workspaceId}/reports', input)).items
    },
    staleTime: 30_000,
    retry: false,
  })
  const pick = (item: Item) =>
    workspace
      ? onChoose({
          workspaceId: workspace.id,
          reportId: item.id,
          name: item.name,
          datasetId: item.datasetId ?? null,
        })
      : setWorkspace(item)
  return (
    <Dialog
      isOpen
      title="Escolher no Power BI"
      description={
        workspace
          ? `Relatórios de “${workspace.name}”.`
          : 'Os espaços de trabalho de que o aplicativo do portal é membro.'
      }
      onClose={onClose}
      initialFocus={search}
      width="wide"
      actions={
        <>
          {workspace && (
            <Button variant="ghost" onClick={() => setWorkspace(undefined)} className="mr-auto">
              <ArrowLeft aria-hidden="true" className="size-4" />
              Espaços de trabalho
            </Button>
          )}
          <Button variant="secondary" onClick={onClose}>
            Cancelar
          </Button>
        </>
      }
    >
      <FilteredList
        key={workspace?.id}
        label={workspace ? 'Procurar relatório' : 'Procurar espaço de trabalho'}
        search={workspace ? undefined : search}
        list={list}
        nothing={
          workspace
            ? 'Este espaço de trabalho não tem relatórios.'
            : 'O aplicativo do portal ainda não é membro de nenhum espaço de trabalho: o administrador do Power BI precisa incluí-lo.'
        }
        onPick={pick}
      />
    </Dialog>
  )
}

interface Item {
  id: string
  name: string
  /** For reports: null without a single semantic model. */
  datasetId?: string | null
}

interface FilteredListProps {
  label: string
  /** Undefined when the dialog is already open: the field focuses itself. */
  search: React.RefObject<HTMLInputElement | null> | undefined
  list: UseQueryResult<Item[]>
  /** The message for an empty list. */
  nothing: string
  onPick: (item: Item) => void
}

/** A list of buttons, filtered while typing, ignoring accents and case. */
function FilteredList({ label, search, list, nothing, onPick }: FilteredListProps) {
  const [typed, setTyped] = useState('')
  const { data, error, isFetching, refetch } = list
  if (!data && error)
    return (
      <FailedLoad title="A lista não pôde ser lida" onRetry={() => void refetch()} isRetrying={isFetching}>
        {error.message}
      </FailedLoad>
    )
  const found = data?.filter(({ name }) => foldText(name).includes(foldText(typed.trim())))
  return (
    <div className="space-y-3">
      <TextField
        ref={search}
        autoFocus={search === undefined}
        label={label}
        type="search"
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      <p role="status" className="sr-only">
        {found && `${found.length} de ${data?.length}`}
      </p>
      {/* Fixed height, to avoid layout shift while loading and typing. */}
      <div className="-mx-2 h-72 overflow-y-auto">
        {!found && <Skeleton className="mx-2 h-full" />}
        {found?.length === 0 && (
          <p className="px-2 py-3 text-muted text-sm">
            {data?.length === 0 ? nothing : 'Nada encontrado com este nome.'}
          </p>
        )}
        <ul>
          {found?.map((item) => (
            <li key={item.id}>
              <button
                type="button"
                onClick={() => onPick(item)}
                className="-outline-offset-2 flex min-h-11 w-full flex-wrap items-center gap-x-3 rounded-md px-2 py-1.5 text-left text-sm hover:bg-subtle"
              >
                {item.name}
              </button>
            </li>
          ))}
        </ul>
      </div>
    </div>
  )
}
