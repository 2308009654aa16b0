import { useId, useState } from 'react'
import { TabList, tabPanelProps } from '#web/ui/tabs.tsx'
import type { ListName } from './describe-lists.ts'
import { EntitlementList, LIST_TITLES } from './entitlement-fields.tsx'
import type { Entitlements } from './profile-steps.ts'

const LISTS = Object.keys(LIST_TITLES) as ListName[]

interface ListTabsProps {
  ticked: Entitlements
  onChange: (ticked: Entitlements) => void
}

/** The tabs Tipos, Marcas and Estados, each saying how much is ticked in it. */
export function ListTabs({ ticked, onChange }: ListTabsProps) {
  const idPrefix = useId()
  const [tab, setTab] = useState<ListName>('types')
  const tabs = LISTS.map((name) => ({
    id: name,
    label: ticked[name].length > 0 ? `${LIST_TITLES[name]} (${ticked[name].length})` : LIST_TITLES[name],
  }))
  return (
    <div>
      <TabList
        label="O que alterar"
        idPrefix={idPrefix}
        tabs={tabs}
        selectedId={tab}
        onSelect={(id) => setTab(id as ListName)}
        className="border-line border-b"
      />
      {/* As high as the longest list, so that nothing jumps from tab to tab. */}
      <div {...tabPanelProps(idPrefix, tab)} className="min-h-58 pt-2 sm:min-h-40">
        <EntitlementList name={tab} ticked={ticked} onChange={onChange} isLegendHidden />
      </div>
    </div>
  )
}
