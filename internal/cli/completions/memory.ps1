# Completion of memory for PowerShell. Load it with:
#   memory completion powershell | Out-String | Invoke-Expression

Register-ArgumentCompleter -Native -CommandName memory -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    # The words in front of the cursor, without the program; the last is the one to complete.
    $words = @($commandAst.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.EndOffset -lt $cursorPosition } |
        ForEach-Object { $_.Extent.Text.Trim('"', "'") })
    # An empty argument gets lost on its way before PowerShell 7.3 unless it is quoted.
    $last = if ($wordToComplete -eq '' -and $PSVersionTable.PSVersion -lt [version]'7.3') { '""' } else { $wordToComplete }
    memory __complete @words $last 2>$null | ForEach-Object {
        $text = if ($_ -match '[\s''"$`;&|()]') { "'" + $_.Replace("'", "''") + "'" } else { $_ }
        [System.Management.Automation.CompletionResult]::new($text, $_, 'ParameterValue', $_)
    }
}
